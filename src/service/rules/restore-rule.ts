/** Delete Rule, and Restore Rule: takes a deleted rule back, with its matches. */
import { z } from 'zod';
import type { Gap } from '../../domain/coverage.ts';
import { PLATFORMS } from '../../domain/platform.ts';
import type { Rule } from '../../domain/rule.ts';
import type { DeletedRule, RuleKeeping } from '../../store/store.ts';
import { type Caller, seesRule } from '../access/caller.ts';
import { byCaller, changeNote, ruleFields } from '../access/change-notes.ts';
import { beginGap } from '../coverage/lasting-gaps.ts';
import { ServiceError } from '../errors.ts';
import { liveRuleOf } from '../ingest/live-rule.ts';
import { RESTORABLE_DAYS } from '../limits.ts';
import { listedRule, ruleId, ruleToJson, time } from '../shapes.ts';
import { exampleRule, ruleOf, unknownRule, viewOf } from './read-rules.ts';
import { operation, type RulesRoom } from './room.ts';
import { checkRuleRoom, ruleLimitError, ruleLimitsOf } from './rule-limits.ts';
import { leftBehind } from './rules-gone.ts';

export const restoreRule = operation({
  name: 'restoreRule',
  summary: 'Restore a deleted rule',
  description: `Takes back a rule that was deleted within the last ${RESTORABLE_DAYS} days: with its id, its version, and those of its matches that retention has kept. It is registered again on every platform or on none, and limits count as for a new rule. While it was deleted nothing was watched: \`coverage\` shows that time as a gap. Matches that waited for a webhook when it was deleted are not sent by themselves; Redeliver Webhook sends them.`,
  access: 'full',
  grants: 'rules',
  input: z.strictObject({ rule_id: ruleId }),
  output: listedRule,
  example: { input: { rule_id: exampleRule.id }, output: exampleRule },
  run: (context, caller, { rule_id }) =>
    context.locks.run(rule_id, async () => {
      const deleted = seesRule(caller, rule_id)
        ? await context.store.deletedRule(caller.account.id, rule_id, context.clock.now())
        : undefined;
      if (deleted === undefined) throw notDeleted();
      const left = await leftBehind(context, caller.account.id, rule_id);
      try {
        await restoreHeld(context, caller, deleted);
      } catch (error) {
        // The store may have it back although the request failed: a rule that is shown is matched.
        const there = await context.store.rule(caller.account.id, rule_id).catch(() => undefined);
        if (there !== undefined) context.matching.put(liveRuleOf(there));
        throw error;
      }
      const rule = await ruleOf(context, caller, rule_id);
      context.matching.put(liveRuleOf(rule));
      let isMoving = true;
      while (isMoving) isMoving = await context.store.moveMatches(rule_id);
      context.live.forget(rule.accountId);
      context.watcher.wake();
      await context.nodes.caughtUp();
      await tellRevived(context, rule, left);
      return ruleToJson(rule, viewOf(context, caller));
    }),
});

/** An owner who was told that nothing comes any more is told that it does again. */
async function tellRevived({ notify, clock }: RulesRoom, rule: Rule, left: readonly string[]): Promise<void> {
  if (left.length === 0) return;
  const message = `The rule ${rule.name} was restored, and matches come again to what is for it: ${left.join(', ')}.`;
  await notify(rule.accountId, { type: 'rules_back', at: clock.now(), subject: { ruleId: rule.id }, message });
}

/** Registers the texts, then stores that the rule is back. A paused rule is not registered: upstreams charge for it. */
async function restoreHeld(context: RulesRoom, caller: Caller, rule: DeletedRule): Promise<void> {
  const { store, registrations, clock } = context;
  const { account } = caller;
  const platforms = PLATFORMS.filter((name) => rule.platforms[name] !== undefined);
  await checkRuleRoom(context, account, platforms);
  await using pinned = await registrations.pin(rule.paused ? {} : rule.platforms);
  const ids = await pinned.hold();
  const now = clock.now();
  const note = changeNote(now, byCaller(caller), 'rule.restored', rule.id, { after: ruleFields(rule) });
  const limits = ruleLimitsOf(context, account);
  const gaps = platforms.map((platform): Gap => unwatched(rule, platform, now));
  const outcome = await store.restoreRule(rule.accountId, rule.id, { now, limits, ids, gaps }, note);
  if (outcome === undefined) throw notDeleted();
  if (outcome !== 'restored') throw ruleLimitError(context, limits, outcome);
  pinned.keep();
  if (!rule.paused) return;
  for (const platform of platforms)
    await beginGap(store, { platform, accountId: rule.accountId, ruleId: rule.id, cause: 'paused' }, now);
}

const unwatched = ({ id, accountId, deletedAt }: DeletedRule, platform: Gap['platform'], to: Date): Gap => ({
  platform,
  accountId,
  ruleId: id,
  from: deletedAt,
  to,
  cause: 'not_started',
  recovered: false,
});

const notDeleted = (): ServiceError =>
  new ServiceError(
    'not_found',
    `There is no deleted rule with this id. Rules can be restored for ${RESTORABLE_DAYS} days.`,
  );

const DAY = 24 * 60 * 60 * 1_000;
/** Slices of matches that a request takes out of the charts; housekeeping goes on with the rest. */
const SLICES = 100;

/** Delete Rule. */
export const deleteRule = operation({
  name: 'deleteRule',
  summary: 'Delete a rule',
  description: `Deletes a rule with its matches. After the answer, no further match of that rule is stored, shown or delivered. For ${RESTORABLE_DAYS} days Restore Rule takes both back; then they are erased.`,
  access: 'full',
  grants: 'rules',
  input: z.strictObject({ rule_id: ruleId }),
  output: z.object({ restorable_until: time.describe('Restore Rule takes the rule back before this time.') }),
  example: {
    input: { rule_id: exampleRule.id },
    output: { restorable_until: '2026-11-22T08:30:00.123Z' },
  },
  run: (context, caller, { rule_id }) =>
    context.locks.run(rule_id, async () => {
      const at = context.clock.now();
      const until = new Date(at.getTime() + RESTORABLE_DAYS * DAY);
      const { name } = await ruleOf(context, caller, rule_id);
      await removeRule(context, caller, rule_id, { at, until });
      await tellLeftBehind(context, caller.account.id, { id: rule_id, name, at, until });
      return { restorable_until: until.toISOString() };
    }),
});

interface Deleted extends RuleKeeping {
  readonly id: string;
  readonly name: string;
}

/** Webhooks, feeds, views and subscriptions for this rule alone fall silent, and their owner is told. */
async function tellLeftBehind(context: RulesRoom, accountId: string, { id, name, at, until }: Deleted): Promise<void> {
  const left = await leftBehind(context, accountId, id);
  if (left.length === 0) return;
  const message = `The rule ${name} was deleted, and nothing comes to what was for it alone: ${left.join(', ')}. Restore Rule revives them until ${until.toISOString()}.`;
  await context.notify(accountId, { type: 'rules_gone', at, subject: { ruleId: id }, message });
}

/** Without `keep` the rule cannot be restored. */
export async function removeRule(context: RulesRoom, caller: Caller, id: string, keep?: RuleKeeping): Promise<void> {
  const { store } = context;
  const rule = await ruleOf(context, caller, id);
  const note = changeNote(context.clock.now(), byCaller(caller), 'rule.deleted', id, { before: ruleFields(rule) });
  if (!(await store.deleteRule(rule.accountId, id, note, keep))) throw unknownRule();
  context.matching.drop(id);
  context.live.forget(rule.accountId);
  context.live.endRule(id);
  await context.registrations.release(rule.platforms);
  for (let slices = 0; slices < SLICES; slices++) if (!(await store.moveMatches(id))) break;
  await context.nodes.caughtUp();
}
