/**
 * Limits what accounts may spend on the premium platform in a month. An upstream charges for what it delivers, so an
 * account whose budget is used up rests: its rules there find nothing and are no longer held upstream, until the month
 * ends or the budget is raised. A local platform costs nothing.
 */
import { type Clock, monthOf } from '../../base/clock.ts';
import type { Account } from '../../domain/account.ts';
import type { Platform } from '../../domain/platform.ts';
import type { RuleText } from '../../rules/rule-text.ts';
import type { Store } from '../../store/store.ts';
import { changeNote, SYSTEM } from '../access/change-notes.ts';
import { beginGap, endGap } from '../coverage/lasting-gaps.ts';
import type { CommitNotice } from '../ingest/group-commit.ts';
import type { Matching } from '../ingest/matching.ts';
import type { LastingNotices, Notify } from '../outlets/notify.ts';
import type { Registrations } from '../registrations/registrations.ts';
import type { Log } from '../telemetry.ts';
import { createPendingLooks } from './pending-looks.ts';
import { type RestingChange, reasonText, restingAfter, type Spending } from './resting.ts';

/** The platform that is limited. */
const PREMIUM = 'x' satisfies Platform;
/** Budgets are changed by other processes, and months end by themselves. */
const LOOK_EVERY_MS = 60_000;

export interface Budgets {
  /** Looks at every account, before the rules are read: those of resting accounts are then never registered. */
  open(): Promise<void>;
  /** Runs until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
  /** After each commit: accounts that spend on the platform are looked at. */
  committed(commit: Pick<CommitNotice, 'platform' | 'accountIds'>): void;
  /** Why the account's rules match nothing on the platform; undefined when they do not. */
  reasonToRest(account: Pick<Account, 'id' | 'xBudget'>, platform: Platform): string | undefined;
  isResting(accountId: string, platform: Platform): boolean;
  /** The price of this many reads. */
  cost(platform: Platform, reads: number): number;
}

interface Deps {
  readonly store: Store;
  readonly matching: Pick<Matching, 'rules' | 'isLoaded'>;
  readonly registrations: Pick<Registrations, 'pin' | 'release'>;
  readonly isUpstream: (platform: Platform) => boolean;
  /** For one post or page that an upstream delivers. */
  readonly prices: Readonly<Record<Platform, number>>;
  readonly clock: Clock;
  readonly log: Log;
  readonly notify: Notify;
  readonly lasting: LastingNotices;
  /** The budget of accounts that have none of their own; undefined is no limit. */
  readonly usualBudget?: number | undefined;
  /** The rules of such an account are held again when it is resumed. */
  readonly isSuspended: (accountId: string) => boolean;
}

interface Watch extends Deps {
  readonly isOn: boolean;
  resting: ReadonlySet<string>;
  budgeted: ReadonlySet<string>;
  /** Accounts that rest, and whose gap is not stored, whose owner is not told or whose rules are not released yet. */
  readonly settling: Map<string, Account>;
  /** Accounts that rest no longer, and whose rules are not all held again or whose gap has not ended yet. */
  readonly waking: Set<string>;
}

export function createBudgets(deps: Deps): Budgets {
  const { isUpstream, prices, clock, log } = deps;
  const isOn = isUpstream(PREMIUM) && prices[PREMIUM] > 0;
  const sets = {
    resting: new Set<string>(),
    budgeted: new Set<string>(),
    settling: new Map(),
    waking: new Set<string>(),
  };
  const watch: Watch = { ...deps, isOn, ...sets };
  const looks = createPendingLooks(
    (only) => lookAndFollow(watch, only),
    (error) => log.warn({ err: error }, 'checking the budgets failed; retrying in a minute'),
  );
  return {
    open: () => open(watch),
    async run(signal) {
      while ((isOn || watch.waking.size > 0) && !signal.aborted) {
        await clock.sleep(LOOK_EVERY_MS, signal);
        if (!signal.aborted) await looks.ask();
      }
      await looks.idle();
    },
    committed({ platform, accountIds }) {
      if (!isOn || platform !== PREMIUM) return;
      const spending = accountIds.filter((id) => watch.budgeted.has(id) && !watch.resting.has(id));
      if (spending.length > 0) void looks.ask(spending);
    },
    isResting: (accountId, platform) => platform === PREMIUM && watch.resting.has(accountId),
    reasonToRest({ id, xBudget }, platform) {
      if (platform !== PREMIUM || !watch.resting.has(id)) return undefined;
      return reasonText(xBudget ?? deps.usualBudget, PREMIUM, clock.now());
    },
    cost: (platform, reads) => cost(watch, platform, reads),
  };
}

async function open(watch: Watch): Promise<void> {
  const { lasting, store, clock, waking } = watch;
  await lasting.open();
  // Read before the look: another node may begin a gap later, of an account that this look found within its budget.
  const gaps = await store.openGaps(PREMIUM);
  const { began } = await look(watch);
  try {
    for (const { id } of began) await beginGap(store, gapOf(id), clock.now());
  } catch (error) {
    watch.resting = new Set(); // Whoever opens it again finds the same accounts.
    throw error;
  }
  // The month ended, the budget was raised or reads came to cost nothing while no node looked.
  for (const { cause, accountId } of gaps)
    if (cause === CAUSE && accountId !== undefined && !watch.resting.has(accountId)) waking.add(accountId);
}

const cost = ({ isUpstream, prices }: Deps, platform: Platform, reads: number): number =>
  isUpstream(platform) ? reads * prices[platform] : 0;

/** Finds out who begins to rest and who no longer does, all accounts or only these. It is stored before it is applied. */
async function look(watch: Watch, only?: ReadonlySet<string>): Promise<RestingChange> {
  const { store, clock, matching } = watch;
  const accounts = (await store.accounts()).map((account) => ({
    ...account,
    xBudget: account.xBudget ?? watch.usualBudget,
  }));
  watch.budgeted = new Set(accounts.filter(({ xBudget }) => xBudget !== undefined).map(({ id }) => id));
  const spendings: Spending[] = [];
  for (const account of accounts) {
    if (only !== undefined && !only.has(account.id)) continue;
    const share = await spentShare(watch, account);
    const isSpent = share >= 1;
    await tellShare(watch, account, share);
    const month = isSpent ? monthOf(clock.now()) : null;
    if ((account.xSpentIn ?? null) !== month) {
      const note = changeNote(clock.now(), SYSTEM, 'account.changed', account.id, {
        before: { x_budget_spent_in: account.xSpentIn ?? null },
        after: { x_budget_spent_in: month },
      });
      await store.changeAccount(account.id, { xSpentIn: month }, note);
    }
    spendings.push({ account, isSpent });
  }
  const change = restingAfter(watch.resting, spendings);
  watch.resting = change.resting;
  matching.rules[PREMIUM].live.suspendAccounts('budget_spent', change.resting);
  return change;
}

/** The spent share of the budget; 0 without one. */
async function spentShare(watch: Watch, { id, xBudget }: Account): Promise<number> {
  if (!watch.isOn || xBudget === undefined) return 0;
  const { reads } = await watch.store.usage(id, PREMIUM, monthOf(watch.clock.now()));
  const spent = cost(watch, PREMIUM, reads);
  return spent >= xBudget ? 1 : spent / xBudget;
}

/** An owner is told from this share of a budget on. */
const NEAR = 0.8;
const NEAR_CAUSE = `budget_near:${PREMIUM}`;

/** A budget that is spent is told of in another way, so its being near is not. */
async function tellShare({ lasting, clock }: Watch, { id, xBudget = 0 }: Account, share: number): Promise<void> {
  const subject = { platform: PREMIUM } as const;
  if (share < NEAR) {
    const message = `There is room in the account's budget on ${PREMIUM} again. Its rules there are matched.`;
    return lasting.end(id, NEAR_CAUSE, clock.now(), { type: 'budget_restored', subject, message });
  }
  const message = `The account has spent ${Math.floor(share * 100)} % of its budget of ${xBudget.toFixed(2)} on ${PREMIUM}. When it is spent, its rules there match nothing until the month ends.`;
  return lasting.begin(id, NEAR_CAUSE, clock.now(), share >= 1 ? undefined : { type: 'budget_near', subject, message });
}

async function lookAndFollow(watch: Watch, only?: ReadonlySet<string>): Promise<void> {
  const { settling, waking, matching, log } = watch;
  const { began, ended } = await look(watch, only);
  for (const account of began) {
    log.warn(
      { accountId: account.id, platform: PREMIUM },
      'an account has used up its budget: its rules match nothing',
    );
    waking.delete(account.id);
    settling.set(account.id, account);
  }
  for (const account of ended) {
    log.info({ accountId: account.id, platform: PREMIUM }, 'an account has a budget again: its rules are matched');
    settling.delete(account.id);
    waking.add(account.id);
  }
  for (const account of settling.values())
    await settle(watch, account).catch((error: unknown) =>
      log.warn({ accountId: account.id, err: error }, 'a spent budget is not followed yet; retrying in a minute'),
    );
  // Nothing is matched or held before, and a start that is cut short never gets there.
  if (!matching.isLoaded) return;
  for (const id of waking)
    await wake(watch, id).catch((error: unknown) =>
      log.warn({ accountId: id, err: error }, 'the end of a spent budget is not followed yet; retrying in a minute'),
    );
}

/** Does all that begins with the rest of an account. It rests already: a part that fails is done again at the next look. */
async function settle(watch: Watch, account: Account): Promise<void> {
  await beginGap(watch.store, gapOf(account.id), watch.clock.now());
  await tellOwner(watch, account);
  await eachText(watch, account.id, (text) => watch.registrations.release({ [PREMIUM]: text }));
  watch.settling.delete(account.id);
}

/** Once a month, however often a process starts or the account is looked at. */
function tellOwner({ notify, clock }: Watch, { id, xBudget }: Account): Promise<void> {
  const now = clock.now();
  return notify(id, {
    type: 'budget_spent',
    at: new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth())),
    subject: { platform: PREMIUM },
    message: reasonText(xBudget, PREMIUM, now),
  });
}

/** Has every rule of the account held again, and ends its gap. A part that fails is done again at the next look. */
async function wake(watch: Watch, id: string): Promise<void> {
  const { waking, registrations, log } = watch;
  let failures = 0;
  if (!watch.isSuspended(id))
    await eachText(watch, id, (text) => holdAgain(registrations, text).catch(() => failures++));
  if (failures > 0)
    return log.warn({ accountId: id, rules: failures }, 'rules are not held upstream yet; retrying in a minute');
  await endGap(watch.store, gapOf(id), watch.clock.now());
  waking.delete(id);
}

const CAUSE = 'budget_spent';
const gapOf = (accountId: string) => ({ platform: PREMIUM, accountId, cause: CAUSE }) as const;

async function holdAgain(registrations: Deps['registrations'], text: RuleText): Promise<void> {
  await using pinned = await registrations.pin({ [PREMIUM]: text });
  await pinned.hold();
  pinned.keep();
}

async function eachText({ store }: Deps, id: string, work: (text: RuleText) => Promise<unknown>): Promise<void> {
  for await (const slice of store.rules(id)) {
    const texts = slice.filter(({ paused }) => !paused).map(({ platforms }) => platforms[PREMIUM]);
    // Together: the upstream is then asked once for all of them.
    await Promise.all(texts.filter((text) => text !== undefined).map(({ value, flags }) => work({ value, flags })));
  }
}
