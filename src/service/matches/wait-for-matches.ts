/** Waits for matches after a cursor. Answers at once if there are any, otherwise when the first arrives. */
import type { Account } from '../../domain/account.ts';
import type { Match } from '../../domain/match.ts';
import type { Platform } from '../../domain/platform.ts';
import type { Digest, WakeContract } from '../../domain/wake.ts';
import type { AfterQuery, Position } from '../../store/store.ts';
import { type Caller, refuseSuspended } from '../access/caller.ts';
import { stillWorks } from '../access/grants.ts';
import { unauthenticated } from '../access/keys.ts';
import { ServiceError } from '../errors.ts';
import { limitOf, limitReached, MAX_WAITS } from '../limits.ts';
import type { WakeTally } from '../outlets/wake-chains.ts';
import type { ShownAfterPage } from '../reader/reader.ts';
import { ruleOf } from '../rules/read-rules.ts';
import { matchesAfterOfRules } from './match-filter.ts';
import type { MatchesRoom } from './room.ts';

export interface Wait {
  readonly ruleId?: string | undefined;
  readonly platform?: Platform | undefined;
  /** The source that brought the event. */
  readonly source?: string | undefined;
  /** `latest_cursor` of a list, or the cursor of an earlier wait. */
  readonly cursor?: string | undefined;
  /** A wait without a cursor begins here. Without this too, only new matches count. */
  readonly after?: Position | undefined;
  readonly limit: number;
  readonly milliseconds: number;
  /** Answers when a match wakes; what does not is in the digest. Undefined: every match wakes. */
  readonly wake?: WakeContract | undefined;
}

export interface Waited {
  /** Oldest first. */
  readonly matches: readonly Match[];
  /** The cursor after these matches, and the position that it stands for. */
  readonly cursor: string;
  readonly last: Position;
  /** There may be more after these matches. */
  readonly more: boolean;
  /** The matches that a contract held. */
  readonly digest?: Digest;
  /** Cuts the answer after one of its matches: the cursor there, and the digest of matches held up to there. */
  cutAfter(position: Position): Pick<Waited, 'cursor' | 'last' | 'digest'>;
}

/** A page ends with the match that brings its payloads to so many bytes: an answer has room for few of them. */
const PAGE_BYTES = 512 * 1024;
/** While nothing wakes, pages double up to so many: who asks for one match at a time has not each held one read by itself. */
const HELD_PAGE = 50;
/** Held matches of so many bytes are looked at for one answer. */
const MOST_HELD_BYTES = 4 * 1024 * 1024;

export async function waitForMatches(
  context: MatchesRoom,
  caller: Caller,
  { ruleId, platform, source, cursor, after, limit, milliseconds, wake }: Wait,
  signal: AbortSignal,
): Promise<Waited> {
  const { store, clock, matchSignals } = context;
  const accountId = caller.account.id;
  if (ruleId !== undefined) await ruleOf(context, caller, ruleId);
  if (milliseconds > 0) checkWaits(context, caller.account);
  let last = cursor === undefined ? (after ?? (await store.latest())) : await startOf(context, accountId, cursor);
  using watch = matchSignals.watch(accountId, ruleId);
  const enough = new AbortController();
  const ended = AbortSignal.any([signal, enough.signal]);
  const timer = milliseconds === 0 ? undefined : clock.sleep(milliseconds, ended).then(() => enough.abort());
  const decisions = beginDecisions(context, accountId, wake, cursor);
  const filter = filterOf({ ruleId, platform, source });
  let [hasWaited, bytes, size] = [false, 0, limit];
  try {
    for (;;) {
      const query = { accountId, after: last, limit: size, bytes: PAGE_BYTES, ...filter };
      const { matches, more, ...page } = await followingMatches(context, caller, query);
      last = page.last;
      bytes += lengthOf(matches);
      if (hasWaited) await refuseEnded(context, caller);
      const { waking, tally } = await decisions(matches);
      // A page without a match went through all that one may: its caller decides whether to go on.
      const isFull = tally?.isFull === true || bytes >= MOST_HELD_BYTES || (more && matches.length === 0);
      if (waking.length > 0 || timer === undefined || ended.aborted || isFull)
        return answerOf(context, accountId, { waking, limit, last, more }, tally);
      // A full page of held matches: there may be more.
      size = Math.max(limit, Math.min(2 * size, HELD_PAGE));
      if (more) continue;
      hasWaited = true;
      await watch.next(ended);
    }
  } finally {
    enough.abort();
  }
}

const filterOf = ({ ruleId, platform, source }: Pick<Wait, 'ruleId' | 'platform' | 'source'>) => ({
  ...(ruleId !== undefined && { ruleId }),
  ...(platform !== undefined && { platform }),
  ...(source !== undefined && { source }),
});

const lengthOf = (matches: readonly Match[]): number => matches.reduce((sum, { json }) => sum + (json?.length ?? 0), 0);

const EVERY_MATCH: WakeContract = { per: 'match' };

/** Which matches of a page wake. Without a contract all do that no silence covers. */
function beginDecisions(
  { store, clock, matchSignals, wakeChains }: MatchesRoom,
  accountId: string,
  wake: WakeContract | undefined,
  cursor: string | undefined,
) {
  const begin = (contract: WakeContract) => wakeChains.begin(accountId, contract, cursor, () => clock.now());
  const silencesNow = () => matchSignals.once(`silences ${accountId}`, () => store.silences(accountId, clock.now()));
  let tally = wake && begin(wake);
  return async (matches: readonly Match[]): Promise<{ waking: readonly Match[]; tally: WakeTally | undefined }> => {
    const silences = matches.length === 0 ? [] : await silencesNow();
    if (silences.length > 0) tally ??= begin(EVERY_MATCH);
    return { waking: tally?.take(matches, silences) ?? matches, tally };
  };
}

function answerOf(
  { cursors }: MatchesRoom,
  accountId: string,
  { waking, limit, last, more }: Pick<Waited, 'last' | 'more'> & { waking: readonly Match[]; limit: number },
  tally: WakeTally | undefined,
): Waited {
  // A page of held matches may have been larger than the answer.
  const isCut = waking.length > limit;
  const matches = isCut ? waking.slice(0, limit) : waking;
  const after = isCut ? matches.at(-1)!.position : last;
  const endAt = (cursor: string, position: Position) => {
    tally?.keep(cursor, position);
    return { cursor, last: position, ...(tally && { digest: tally.digestTo(position) }) };
  };
  return {
    matches,
    more: more || isCut,
    ...endAt(cursors.writePlace(accountId, 'newer', after), after),
    cutAfter: (position) => endAt(cursors.write(accountId, 'newer', position), position),
  };
}

/** One read for all who ask the same. An agent that is limited to some rules asks for those. */
function followingMatches(
  { store, reader, matchSignals }: MatchesRoom,
  { grant }: Caller,
  query: AfterQuery,
): Promise<ShownAfterPage> {
  const ruleIds = query.ruleId === undefined ? grant?.ruleIds : undefined;
  return matchSignals.once(JSON.stringify([query, ruleIds]), async () => {
    if (ruleIds === undefined) return reader.after(query);
    const page = await matchesAfterOfRules(store, query, ruleIds);
    return { ...page, matches: await reader.show(page.matches) };
  });
}

export function checkWaits(
  { matchSignals, settings: { limits, support } }: Pick<MatchesRoom, 'matchSignals' | 'settings'>,
  account: Account,
): void {
  const waits = limitOf({ waits: MAX_WAITS, ...limits }, account, 'waits');
  const used = matchSignals.countOf(account.id);
  if (waits === undefined || used < waits) return;
  throw limitReached('waits', `${waits} requests of the account wait for matches already, which is the limit.`, {
    support,
    details: { limit: waits, used },
    retryAfter: 5,
  });
}

async function startOf({ store, cursors }: MatchesRoom, accountId: string, cursor: string): Promise<Position> {
  const position = cursors.read(accountId, 'newer', 'cursor', cursor);
  if (position + 1 >= (await store.oldest())) return position;
  throw new ServiceError('failed_precondition', 'The cursor has expired: matches after it have been deleted.', {
    details: { reason: 'cursor_expired' },
  });
}

/** A key, token or session that was revoked or has ended meanwhile gets none of the new matches, and waits no longer. */
export async function refuseEnded(
  context: Pick<MatchesRoom, 'store' | 'clock' | 'matchSignals'>,
  caller: Caller,
): Promise<void> {
  const { store, clock, matchSignals } = context;
  const { session } = caller;
  const name = caller.grant?.tokenDigest ?? caller.key.id;
  if (!(await matchSignals.once(`works ${name}`, () => stillWorks(context, caller)))) throw unauthenticated();
  // One that is idle goes on: a long export is a use of it, too.
  if (session !== undefined && (await matchSignals.once(session, () => store.pass(session, clock.now()))) === undefined)
    throw unauthenticated();
  const { id } = caller.account;
  refuseSuspended((await matchSignals.once(`account ${id}`, () => store.account(id))) ?? caller.account);
}
