/**
 * Ends or undoes what a crash left between the steps of creating a rule: at the start, and on a store that others share
 * also while we run, since it may be another node that died.
 */
import type { Clock } from '../../base/clock.ts';
import { readId } from '../../base/ids.ts';
import type { NamedLocks } from '../../base/named-lock.ts';
import { PLATFORMS } from '../../domain/platform.ts';
import type { PlatformRule, Rule } from '../../domain/rule.ts';
import type { Store } from '../../store/store.ts';
import { changeNote, ruleFields, SYSTEM } from '../access/change-notes.ts';
import type { Suspensions } from '../accounts/suspensions.ts';
import { activate, idsOf } from '../registrations/registration-lifecycle.ts';
import type { Registrations } from '../registrations/registrations.ts';
import type { Log } from '../telemetry.ts';
import type { Budgets } from '../upstream/budgets.ts';

interface Deps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
}

/** On a shared store, a rule that young may just be on its way, made by another node. */
const UNDER_WAY_MS = 60_000;

export interface ReconcileDeps extends Deps {
  readonly registrations: Registrations;
  readonly budgets: Budgets;
  readonly suspensions: Pick<Suspensions, 'isSuspended'>;
  readonly locks: NamedLocks;
}

/**
 * The stored rules as they are after the repair. One that some platform has never answered for is undone; one that all have
 * answered for is brought to its end. What upstreams hold of either is looked after once all rules are known.
 */
export async function* reconciled(context: ReconcileDeps, stored: AsyncIterable<Rule[]>): AsyncIterable<Rule[]> {
  for await (const slice of stored) {
    const whole: Rule[] = [];
    for (const rule of slice) {
      const finished = isUnderWay(context, rule) ? undefined : await finishUnderLock(context, rule);
      if (finished !== undefined) whole.push(finished);
    }
    for (const rule of whole) context.registrations.want(asked(context, rule));
    yield whole;
  }
}

/** A rule that a request of this process is just creating is left to that request. */
async function finishUnderLock(context: Deps & { readonly locks: NamedLocks }, rule: Rule): Promise<Rule | undefined> {
  if (!Object.values(rule.platforms).some(isUnfinished)) return rule;
  return context.locks.run(rule.id, async () => {
    const now = await context.store.rule(rule.accountId, rule.id);
    return now && finishOrUndo(context, now);
  });
}

/** Finishes or undoes rules that a node which is no more has left behind; all nodes hear of it by the log of changes. */
export async function finishAbandoned(
  context: Deps & { registrations: Pick<Registrations, 'release'> },
): Promise<void> {
  const { store, registrations, log } = context;
  for await (const slice of store.unfinishedRules()) {
    for (const rule of slice) {
      if (isUnderWay(context, rule) || (await finishOrUndo(context, rule)) !== undefined) continue;
      // Does not wait for upstreams. If one does not release the text now, it is asked again later.
      registrations
        .release(rule.platforms)
        .catch((error: unknown) =>
          log.warn({ ruleId: rule.id, err: error }, 'an upstream did not release the text of a rule'),
        );
    }
  }
}

/** The rule as it is from now on; undefined when it is undone. */
export async function finishOrUndo(context: Deps, rule: Rule): Promise<Rule | undefined> {
  const held = Object.values(rule.platforms);
  if (!held.some(isUnfinished)) return rule;
  return held.some(isUnanswered) ? undo(context, rule) : finish(context, rule);
}

/** Whether some node may be about to finish it. */
export const isUnderWay = (deps: Deps, { createdAt, platforms }: Rule): boolean =>
  Object.values(platforms).some(isUnfinished) && isRecent(deps, createdAt.getTime());

/** Whether some node may be about to store the rule. An id tells when it was made. */
export const isAboutToBeStored = (deps: Deps, ruleId: string): boolean =>
  isRecent(deps, readId('rule', ruleId)?.time ?? 0);

const isRecent = ({ store, clock }: Deps, time: number): boolean =>
  store.isShared && clock.now().getTime() - time < UNDER_WAY_MS;

/** Without the platforms that the account has no budget for; none of a suspended account. */
const asked = ({ budgets, suspensions }: Pick<ReconcileDeps, 'budgets' | 'suspensions'>, rule: Rule): Rule => {
  if (suspensions.isSuspended(rule.accountId)) return { ...rule, platforms: {} };
  const wanted = PLATFORMS.filter((name) => !budgets.isResting(rule.accountId, name));
  if (wanted.length === PLATFORMS.length) return rule;
  return { ...rule, platforms: Object.fromEntries(wanted.map((name) => [name, rule.platforms[name]])) };
};

const isUnfinished = ({ status }: PlatformRule): boolean => status === 'pending';
const isUnanswered = ({ platformRuleId }: PlatformRule): boolean => platformRuleId === undefined;

async function undo({ store, log, clock }: Deps, rule: Rule): Promise<Rule | undefined> {
  const note = changeNote(clock.now(), SYSTEM, 'rule.deleted', rule.id, { before: ruleFields(rule) });
  // The node that creates it may have been slow, and complete it just now.
  if (!(await store.undoRule(rule.accountId, rule.id, note))) return store.rule(rule.accountId, rule.id);
  log.warn({ ruleId: rule.id }, 'a rule was not wholly created before a stop: it is undone');
  return undefined;
}

async function finish({ store, log }: Deps, rule: Rule): Promise<Rule | undefined> {
  log.warn({ ruleId: rule.id }, 'a rule was not wholly created before a stop: it is finished');
  const unfinished = Object.fromEntries(Object.entries(rule.platforms).filter(([, held]) => isUnfinished(held)));
  await activate(store, rule.id, idsOf({ platforms: unfinished }));
  return store.rule(rule.accountId, rule.id);
}
