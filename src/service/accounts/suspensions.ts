/**
 * Accounts that the operator has suspended: their rules match nothing and are not held upstream, where slots are scarce, and
 * their streams and waiting requests end. The store is the truth. A node follows it by the log of changes, and looks every few
 * seconds, since the command line may have changed it. A resumed account's gap ends when its rules are matched and held again.
 */
import type { Clock } from '../../base/clock.ts';
import type { Live } from '../../delivery/live/live.ts';
import type { Dispatcher } from '../../delivery/webhooks/dispatcher.ts';
import type { Account } from '../../domain/account.ts';
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import type { RuleText, Texts } from '../../rules/rule-text.ts';
import type { Store } from '../../store/store.ts';
import { endGap } from '../coverage/lasting-gaps.ts';
import type { Matching } from '../ingest/matching.ts';
import type { MatchSignals } from '../outlets/match-signals.ts';
import type { Registrations } from '../registrations/registrations.ts';
import type { Log } from '../telemetry.ts';
import { createPendingLooks } from '../upstream/pending-looks.ts';

const CAUSE = 'account_suspended';
const LOOK_EVERY_MS = 5_000;

export interface Suspensions {
  /** Before the rules are read: those of suspended accounts are then never registered. */
  open(): Promise<void>;
  /** Runs until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
  /** Applies here what the store says by now. What upstreams hold follows. */
  follow(): Promise<void>;
  /** Resolves when upstreams were told, and the gaps of resumed accounts have ended or wait for an upstream. */
  settled(): Promise<void>;
  isSuspended(accountId: string): boolean;
  readonly count: number;
  /** The account as the store had it, where it is suspended or has limits of its own. */
  restricted(accountId: string): Account | undefined;
}

interface Deps {
  readonly store: Store;
  readonly matching: Pick<Matching, 'rules'>;
  readonly registrations: Pick<Registrations, 'pin' | 'release'>;
  readonly live: Pick<Live, 'endAccount'>;
  readonly matchSignals: Pick<MatchSignals, 'committedElsewhere'>;
  readonly dispatcher: Pick<Dispatcher, 'owed'>;
  /** Whether the account has no budget there: its rules are not held then. */
  readonly isSpent: (accountId: string, platform: Platform) => boolean;
  readonly clock: Clock;
  readonly log: Log;
}

interface State extends Deps {
  suspended: ReadonlySet<string>;
  restricted: ReadonlyMap<string, Account>;
  /** Accounts whose rules upstreams still hold though they rest. */
  readonly leaving: Set<string>;
  /** Accounts that rest no longer, and whose gap has not ended yet. */
  readonly waking: Set<string>;
}

export function createSuspensions(deps: Deps): Suspensions {
  const state: State = { ...deps, suspended: new Set(), restricted: new Map(), leaving: new Set(), waking: new Set() };
  const { clock, log } = deps;
  const settling = createPendingLooks(
    () => settle(state),
    (error) => log.warn({ err: error }, 'suspended accounts could not be looked after; trying again in seconds'),
  );
  const following = createPendingLooks(
    async () => {
      await follow(state);
      if (state.leaving.size + state.waking.size > 0) void settling.ask();
    },
    (error) => log.warn({ err: error }, 'suspended accounts cannot be read; trying again in seconds'),
  );
  return {
    async open() {
      await follow(state);
      // Nothing is held before the rules are read.
      state.leaving.clear();
      for (const platform of PLATFORMS)
        for (const { cause, accountId } of await deps.store.openGaps(platform))
          if (cause === CAUSE && accountId !== undefined && !state.suspended.has(accountId))
            state.waking.add(accountId);
    },
    async run(signal) {
      while (!signal.aborted) {
        await following.ask();
        await clock.sleep(LOOK_EVERY_MS, signal);
      }
      await settling.idle();
    },
    follow: () => following.ask(),
    settled: () => settling.idle(),
    isSuspended: (accountId) => state.suspended.has(accountId),
    get count() {
      return state.suspended.size;
    },
    restricted: (accountId) => state.restricted.get(accountId),
  };
}

async function follow(state: State): Promise<void> {
  const { store, matching, live, matchSignals, dispatcher, leaving, waking, log } = state;
  const accounts = await store.restrictedAccounts();
  const before = state.suspended;
  const now = new Set(accounts.filter(({ suspended }) => suspended !== undefined).map(({ id }) => id));
  state.restricted = new Map(accounts.map((account) => [account.id, account]));
  state.suspended = now;
  for (const platform of PLATFORMS) matching.rules[platform].live.suspendAccounts(CAUSE, now);
  for (const id of [...now].filter((one) => !before.has(one))) {
    log.warn({ accountId: id }, 'an account is suspended: its rules match nothing and its keys are refused');
    live.endAccount(id);
    matchSignals.committedElsewhere([id]);
    waking.delete(id);
    leaving.add(id);
  }
  for (const id of [...before].filter((one) => !now.has(one))) {
    log.info({ accountId: id }, 'an account is resumed: its rules are matched');
    dispatcher.owed(id);
    leaving.delete(id);
    waking.add(id);
  }
}

async function settle(state: State): Promise<void> {
  const { leaving, waking, registrations, log } = state;
  for (const id of leaving) {
    await eachRule(state, id, (texts) => registrations.release(texts));
    leaving.delete(id);
  }
  for (const id of waking) {
    let failures = 0;
    await eachRule(state, id, (texts) => holdAgain(registrations, texts).catch(() => failures++));
    // It may have been suspended again meanwhile: then the gap goes on.
    if (!waking.has(id)) continue;
    if (failures > 0)
      log.warn({ accountId: id, rules: failures }, 'rules are not held upstream yet; trying again in seconds');
    else await endGaps(state, id);
  }
}

/** An account that is suspended and resumed meanwhile has a new gap, and wakes once more. */
async function endGaps(state: State, id: string): Promise<void> {
  const { waking, store, clock } = state;
  waking.delete(id);
  try {
    for (const platform of PLATFORMS) await endGap(store, { platform, accountId: id, cause: CAUSE }, clock.now());
  } catch (error) {
    if (!state.suspended.has(id)) waking.add(id);
    throw error;
  }
}

async function holdAgain(registrations: Deps['registrations'], texts: Texts): Promise<void> {
  await using pinned = await registrations.pin(texts);
  await pinned.hold();
  pinned.keep();
}

/** The texts of every rule that is not paused. Together: an upstream is then asked once for a slice of them. */
async function eachRule(
  { store, isSpent }: State,
  id: string,
  work: (texts: Texts) => Promise<unknown>,
): Promise<void> {
  for await (const slice of store.rules(id)) {
    const running = slice.filter(({ paused }) => !paused);
    await Promise.all(
      running.map(({ platforms }) => {
        const texts = PLATFORMS.flatMap((name): [string, RuleText][] => {
          const text = platforms[name];
          return text === undefined || isSpent(id, name) ? [] : [[name, { value: text.value, flags: text.flags }]];
        });
        return work(Object.fromEntries(texts));
      }),
    );
  }
}
