/**
 * Matches a day, and the room that matches take. An account that reaches one of these limits rests: its rules match nothing, which
 * is a gap of its platforms, until the next day, until matches have gone, or until the limit is raised. Upstreams go on
 * holding its rules. What it used is read from the store, so that every node finds the same.
 */
import type { Clock } from '../../base/clock.ts';
import type { Account } from '../../domain/account.ts';
import { PLATFORMS } from '../../domain/platform.ts';
import type { Store, Stored } from '../../store/store.ts';
import { beginGap, endGap } from '../coverage/lasting-gaps.ts';
import type { CommitNotice } from '../ingest/group-commit.ts';
import type { Matching } from '../ingest/matching.ts';
import { type AccountLimits, limitOf, limitReached } from '../limits.ts';
import type { LastingNotices } from '../outlets/notify.ts';
import type { Log } from '../telemetry.ts';
import { createPendingLooks } from '../upstream/pending-looks.ts';

const CODES = ['matches_per_day', 'stored_bytes'] as const;
type QuotaCode = (typeof CODES)[number];
const DAY_MS = 24 * 60 * 60 * 1_000;
const LOOK_EVERY_MS = 5_000;

export interface Quotas {
  /** Accounts that rested when the last process stopped go on resting, before anything is matched. */
  open(): Promise<void>;
  /** Runs until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
  /** After each commit. */
  committed(commit: Pick<CommitNotice, 'accountIds' | 'addedByAccount'>): void;
  /** Resolves when nothing is left to look at. */
  idle(): Promise<void>;
  /** Throws when the account rests: what is pushed for its rules alone would find nothing. */
  refuseResting(accountId: string): void;
  /** Answers how much of the two limits is used. */
  used(account: Pick<Account, 'id' | 'limits'>): Promise<Readonly<Record<QuotaCode, number>>>;
}

interface Deps {
  readonly store: Store;
  readonly matching: Pick<Matching, 'rules'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits: AccountLimits | undefined;
  readonly support: string;
  /** The account, where it has limits of its own. */
  readonly restricted: (accountId: string) => Account | undefined;
  readonly lasting: LastingNotices;
}

interface Reached {
  readonly code: QuotaCode;
  readonly limit: number;
  readonly used: number;
}

interface State extends Deps {
  /** How many matches an account may still get before it must be looked at. Unknown: at the next commit. */
  readonly room: Map<string, number>;
  readonly resting: Map<string, Reached>;
  /** Accounts of which a gap is over and may not have ended on record: the store may have failed. */
  readonly ending: Set<string>;
  /** Accounts that got matches since the last look at all of them. */
  active: Set<string>;
}

export function createQuotas(deps: Deps): Quotas {
  const { clock, log, support } = deps;
  const state: State = { ...deps, room: new Map(), resting: new Map(), ending: new Set(), active: new Set() };
  const looks = createPendingLooks(
    (only) => look(state, [...(only ?? [])]),
    (error) => log.warn({ err: error }, 'what accounts have stored cannot be read; trying again in seconds'),
  );
  return {
    open: () => openResting(state),
    async run(signal) {
      while (!signal.aborted) {
        await clock.sleep(LOOK_EVERY_MS, signal);
        const unfinished = [...state.resting.keys(), ...state.ending];
        const asked = new Set([...state.active, ...unfinished, ...deps.lasting.accounts(NEAR_CAUSE)]);
        state.active = new Set();
        // An account that got nothing for a while is looked at afresh: another process may have stored much for it, and
        // the day may be another.
        for (const accountId of state.room.keys()) if (!asked.has(accountId)) state.room.delete(accountId);
        if (asked.size > 0) await looks.ask(asked);
      }
      await looks.idle();
    },
    committed({ accountIds, addedByAccount }) {
      const due = accountIds.filter((accountId, index) => isDue(state, accountId, addedByAccount[index]!));
      if (due.length > 0) void looks.ask(due);
    },
    idle: () => looks.idle(),
    refuseResting(accountId) {
      const reached = state.resting.get(accountId);
      if (reached !== undefined) throw refusal(reached, clock.now(), support);
    },
    used: async ({ id }) => (await usedBy(state, [id]))(id),
  };
}

async function openResting(state: State): Promise<void> {
  await state.lasting.open();
  const gaps = await Promise.all(PLATFORMS.map((platform) => state.store.openGaps(platform)));
  for (const { cause, accountId } of gaps.flat())
    for (const code of CODES)
      if (accountId !== undefined && code === cause) state.resting.set(accountId, { code, limit: 0, used: 0 });
  for (const accountId of state.resting.keys()) state.ending.add(accountId);
  await look(state, [...state.resting.keys()]);
}

const quotaOf = ({ limits, restricted }: State, accountId: string, code: QuotaCode): number | undefined =>
  limitOf(limits, restricted(accountId) ?? {}, code);

function isDue(state: State, accountId: string, added: number): boolean {
  if (CODES.every((code) => quotaOf(state, accountId, code) === undefined)) return false;
  state.active.add(accountId);
  const room = (state.room.get(accountId) ?? 0) - added;
  state.room.set(accountId, room);
  return room <= 0;
}

/** Reads what each of these accounts used: one read for all of them. */
async function usedBy({ store, clock }: State, accountIds: readonly string[]) {
  const stored = await store.stored(accountIds);
  const today = Math.floor(clock.now().getTime() / DAY_MS) * DAY_MS;
  return (accountId: string) => {
    const { bytes, matches, day, cameOnDay } = stored.get(accountId) ?? NOTHING;
    return {
      matches_per_day: day.getTime() < today ? 0 : cameOnDay,
      stored_bytes: bytes,
      stored_matches: matches,
    };
  };
}

const NOTHING: Stored = { matches: 0, bytes: 0, day: new Date(0), cameOnDay: 0 };

async function look(state: State, accountIds: readonly string[]): Promise<void> {
  if (accountIds.length === 0) return;
  const usedOf = await usedBy(state, accountIds);
  for (const accountId of accountIds) {
    const used = usedOf(accountId);
    const reached = CODES.flatMap((code): Reached[] => {
      const limit = quotaOf(state, accountId, code);
      return limit !== undefined && used[code] >= limit ? [{ code, limit, used: used[code] }] : [];
    }).at(0);
    const size = used.stored_bytes / Math.max(1, used.stored_matches);
    const left = (code: QuotaCode) => (quotaOf(state, accountId, code) ?? Number.POSITIVE_INFINITY) - used[code];
    state.room.set(accountId, Math.floor(Math.min(left('matches_per_day'), left('stored_bytes') / Math.max(1, size))));
    if (reached !== undefined || state.resting.has(accountId) || state.ending.has(accountId))
      await rest(state, accountId, reached);
    for (const code of CODES) await tell(state, accountId, code, used[code]);
  }
}

/** An owner is told from this share of a limit on. */
const NEAR = 0.8;
const NEAR_CAUSE = 'limit_near:';
const REACHED_CAUSE = 'limit_reached:';
const WHAT: Readonly<Record<QuotaCode, string>> = { matches_per_day: 'matches a day', stored_bytes: 'stored bytes' };

/** The owner is told when a limit is near, when it is reached, and when there is room again. */
async function tell(state: State, accountId: string, code: QuotaCode, used: number): Promise<void> {
  const { lasting, clock } = state;
  const limit = quotaOf(state, accountId, code) ?? Number.POSITIVE_INFINITY;
  const [now, subject] = [clock.now(), { limit: code }];
  const share = `${used} of ${limit} ${WHAT[code]}`;
  if (used >= limit) {
    const message = `The account has reached a limit: ${share}. Its rules match nothing until there is room again, or the limit is raised.`;
    await lasting.begin(accountId, `${REACHED_CAUSE}${code}`, now, { type: 'limit_reached', subject, message });
  } else await lasting.end(accountId, `${REACHED_CAUSE}${code}`, now);
  if (used < NEAR * limit) {
    const message = `The account is within its limit again: ${limit === Number.POSITIVE_INFINITY ? 'there is none any more' : share}.`;
    await lasting.end(accountId, `${NEAR_CAUSE}${code}`, now, { type: 'limit_cleared', subject, message });
    return;
  }
  const message = `The account nears a limit: ${share}. At the limit its rules match nothing. Narrow a rule, or ask for a higher limit.`;
  const notice = { type: 'limit_near', subject, message } as const;
  await lasting.begin(accountId, `${NEAR_CAUSE}${code}`, now, used >= limit ? undefined : notice);
}

/** On record before it begins: a stop between the two tells of a rest that was none, and not the other way round. */
async function rest(state: State, accountId: string, reached: Reached | undefined): Promise<void> {
  const { store, clock, resting, ending, log } = state;
  const before = resting.get(accountId);
  for (const platform of PLATFORMS)
    if (reached !== undefined) await beginGap(store, { platform, accountId, cause: reached.code }, clock.now());
  if (reached === undefined) resting.delete(accountId);
  else resting.set(accountId, reached);
  if (before === undefined && reached !== undefined)
    log.warn({ accountId, ...reached }, 'an account has reached a limit: its rules match nothing');
  for (const platform of PLATFORMS)
    state.matching.rules[platform].live.suspendAccounts('quota', new Set(resting.keys()));
  if (before?.code !== reached?.code) ending.add(accountId);
  if (!ending.has(accountId)) return;
  for (const platform of PLATFORMS)
    for (const cause of CODES)
      if (cause !== reached?.code) await endGap(store, { platform, accountId, cause }, clock.now());
  ending.delete(accountId);
}

function refusal({ code, limit, used }: Reached, now: Date, support: string): Error {
  const details = { limit, used };
  if (code === 'stored_bytes')
    return limitReached(
      code,
      `The matches of the account take ${used} bytes, and it may store ${limit}. Its rules match nothing, so nothing that is pushed for them is taken.`,
      { support, details },
    );
  const retryAfter = Math.ceil((DAY_MS - (now.getTime() % DAY_MS)) / 1_000);
  return limitReached(
    code,
    `The account has had ${used} matches today, and it may have ${limit} a day. Its rules match nothing, so nothing that is pushed for them is taken.`,
    { support, details, retryAfter },
  );
}
