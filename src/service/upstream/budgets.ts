/**
 * What accounts may spend on the premium platform in a month. An upstream charges for what it delivers, so an account
 * whose budget is used up rests: its rules there find nothing and are no longer held upstream, until the month ends or
 * the budget is raised. A platform of our own costs nothing.
 */
import type { Clock } from '../../base/clock.ts';
import { monthOf, monthText, nextMonth } from '../../base/month.ts';
import type { Account } from '../../domain/account.ts';
import type { Platform } from '../../domain/platform.ts';
import type { Store } from '../../store/store.ts';
import type { Ingest } from '../ingest/ingest.ts';
import type { Matching } from '../ingest/matching.ts';
import type { Registrations } from '../registrations/registrations.ts';
import type { RuleText } from '../rule-text.ts';
import type { Log } from '../telemetry.ts';

/** The platform that is limited. */
const PREMIUM = 'x' satisfies Platform;
/** Budgets are set beside us, and months end by themselves. */
const LOOK_EVERY_MS = 60_000;

export interface Budgets {
  /** Looks at every account; before the rules are read, so that those of resting accounts are never asked for. */
  open(): Promise<void>;
  /** Runs until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
  /** Why the account's rules rest on the platform; undefined when they do not. */
  reasonToRest(account: Pick<Account, 'id' | 'xBudget'>, platform: Platform): string | undefined;
  isResting(accountId: string, platform: Platform): boolean;
  /** What so many reads cost. */
  cost(platform: Platform, reads: number): number;
}

interface Deps {
  readonly store: Store;
  readonly ingest: Pick<Ingest, 'onCommit'>;
  readonly matching: Pick<Matching, 'rest'>;
  readonly registrations: Pick<Registrations, 'pin' | 'release'>;
  readonly isUpstream: (platform: Platform) => boolean;
  /** For one post or page that an upstream delivers. */
  readonly prices: Readonly<Record<Platform, number>>;
  readonly clock: Clock;
  readonly log: Log;
}

export function createBudgets(deps: Deps): Budgets {
  const { store, ingest, matching, registrations, isUpstream, prices, clock, log } = deps;
  const isOn = isUpstream(PREMIUM) && prices[PREMIUM] > 0;
  let resting: ReadonlySet<string> = new Set();
  let budgeted: ReadonlySet<string> = new Set();
  /** Accounts whose rules are not all held again. */
  const waking = new Map<string, Account>();
  /** One look at a time: each begins where the last ended. */
  let looking: Promise<void> = Promise.resolve();

  const cost = (platform: Platform, reads: number): number => (isUpstream(platform) ? reads * prices[platform] : 0);

  async function isSpent({ id, xBudget }: Account): Promise<boolean> {
    if (!isOn || xBudget === undefined) return false;
    const { reads } = await store.usage(id, PREMIUM, monthOf(clock.now()));
    return cost(PREMIUM, reads) >= xBudget;
  }

  /** Who begins to rest, and who no longer does. What is stored is known first. */
  async function look(only?: ReadonlySet<string>): Promise<{ began: Account[]; ended: Account[] }> {
    const [began, ended]: [Account[], Account[]] = [[], []];
    const accounts = await store.accounts();
    budgeted = new Set(accounts.filter(({ xBudget }) => xBudget !== undefined).map(({ id }) => id));
    const now = new Set(resting);
    for (const account of accounts) {
      if (only !== undefined && !only.has(account.id)) continue;
      const spent = await isSpent(account);
      const month = spent ? monthOf(clock.now()) : null;
      if ((account.xSpentIn ?? null) !== month) await store.changeAccount(account.id, { xSpentIn: month });
      if (spent && !resting.has(account.id)) began.push(account);
      if (!spent && resting.has(account.id)) ended.push(account);
      if (spent) now.add(account.id);
      else now.delete(account.id);
    }
    resting = now;
    matching.rest(PREMIUM, resting);
    return { began, ended };
  }

  async function lookAndFollow(only?: ReadonlySet<string>): Promise<void> {
    const { began, ended } = await look(only);
    for (const account of began) {
      log.warn({ accountId: account.id, platform: PREMIUM }, 'the budget of an account is used up: its rules rest');
      await eachText(account, (text) => registrations.release({ [PREMIUM]: text }));
    }
    for (const account of ended) {
      log.info({ accountId: account.id, platform: PREMIUM }, 'an account has a budget again: its rules are matched');
      waking.set(account.id, account);
    }
    for (const account of waking.values()) await wake(account);
  }

  /** Every rule is held again; what an upstream refuses now is asked for at the next look. */
  async function wake(account: Account): Promise<void> {
    let failures = 0;
    if (!resting.has(account.id)) {
      await eachText(account, (text) => holdAgain(text).catch(() => failures++));
    }
    if (failures === 0) waking.delete(account.id);
    else log.warn({ accountId: account.id, rules: failures }, 'rules are not held upstream yet; they are tried again');
  }

  async function holdAgain(text: RuleText): Promise<void> {
    await using pinned = await registrations.pin({ [PREMIUM]: text });
    await pinned.hold();
    pinned.keep();
  }

  async function eachText({ id }: Account, work: (text: RuleText) => Promise<unknown>): Promise<void> {
    for await (const slice of store.rules(id)) {
      const texts = slice.filter(({ paused }) => !paused).map(({ platforms }) => platforms[PREMIUM]);
      // Together: the upstream is then asked once for all of them.
      await Promise.all(texts.filter((text) => text !== undefined).map(({ value, flags }) => work({ value, flags })));
    }
  }

  function lookSoon(only?: ReadonlySet<string>): Promise<void> {
    looking = looking
      .then(() => lookAndFollow(only))
      .catch((error: unknown) => log.warn({ err: error }, 'budgets could not be looked at; they are later'));
    return looking;
  }

  if (isOn) {
    ingest.onCommit(({ platform, accountIds }) => {
      const spending = platform === PREMIUM ? accountIds.filter((id) => budgeted.has(id) && !resting.has(id)) : [];
      if (spending.length > 0) void lookSoon(new Set(spending));
    });
  }
  return {
    async open() {
      await look();
    },
    async run(signal) {
      while (isOn && !signal.aborted) {
        await clock.sleep(LOOK_EVERY_MS, signal);
        if (!signal.aborted) await lookSoon();
      }
      await looking;
    },
    isResting: (accountId, platform) => platform === PREMIUM && resting.has(accountId),
    reasonToRest({ id, xBudget }, platform) {
      if (platform !== PREMIUM || !resting.has(id)) return undefined;
      const now = clock.now();
      const again = nextMonth(now).toISOString().slice(0, 10);
      return `The account's budget of ${xBudget?.toFixed(2)} on ${PREMIUM} for ${monthText(monthOf(now))} is used up. Rules there rest until ${again}, or until the budget is raised.`;
    },
    cost,
  };
}
