/** Which matches wake, and which are held for the next digest. Pure: a contract, what it has come to, and matches give an answer. */
import type { WakeAccount, WakeContract, WakeStory } from '../domain/wake.ts';
import { afterQuiet, isQuiet, nextTime } from './local-time.ts';
import { decideOverTime, type TimedCandidate } from './over-time.ts';

export interface WakeCandidate extends TimedCandidate {
  /** It is undefined when the match is a story of its own. */
  readonly story: string | undefined;
  /** Null when it is not known. */
  readonly relevance: number | null;
  /** A silence covers the match. */
  readonly isSilenced?: boolean;
}

export interface WakeDecision {
  /** For each decided candidate, in order, whether it wakes. */
  readonly wakes: readonly boolean[];
  readonly account: WakeAccount;
  /** The state of the candidates' stories from now on. */
  readonly stories: ReadonlyMap<string, WakeStory>;
  /** As many wait as the contract lets wait: the digest with the last of these candidates is full, and goes out. */
  readonly isFull: boolean;
  /** Why those wake that terms over several matches decided, in words. */
  readonly because: readonly string[];
}

export interface WakePast {
  /** It is undefined when nothing was decided yet. */
  readonly account: WakeAccount | undefined;
  readonly stories: ReadonlyMap<string, WakeStory>;
}

const HOUR = 3_600_000;
const WINDOWS = { hour: HOUR, day: 24 * HOUR };

/** The window of a contract at a time. Without a limit it is the day. */
export function wakeWindow({ atMost }: Pick<WakeContract, 'atMost'>, now: Date): { from: Date; until: Date } {
  const length = WINDOWS[atMost?.window ?? 'day'];
  const from = Math.floor(now.getTime() / length) * length;
  return { from: new Date(from), until: new Date(from + length) };
}

/** The account of the present window: what was counted in an earlier one is over. */
export function wakeAccountAt(contract: WakeContract, account: WakeAccount | undefined, now: Date): WakeAccount {
  const { from } = wakeWindow(contract, now);
  if (account !== undefined && account.windowFrom.getTime() === from.getTime()) return account;
  return { windowFrom: from, wakes: 0, held: 0, stories: 0 };
}

/** When what is held now is told. No digest goes out in quiet hours. */
export function digestDue(contract: WakeContract, now: Date): Date {
  const { quiet, digest: { at, zone = 'UTC' } = {} } = contract;
  return afterQuiet(quiet, at === undefined ? wakeWindow(contract, now).until : nextTime(zone, at, now));
}

/**
 * Decides candidates in their order, beginning at `from`, and stops before the one that would be wake number `mostWakes + 1`, and after
 * one that fills a digest.
 */
export function decideWakes(
  contract: WakeContract,
  past: WakePast,
  candidates: readonly WakeCandidate[],
  { now, mostWakes = Number.POSITIVE_INFINITY, from = 0 }: { now: Date; mostWakes?: number; from?: number },
): WakeDecision {
  let { windowFrom, wakes, held, stories } = wakeAccountAt(contract, past.account, now);
  const seen = windowFrom.getTime();
  const known = new Map<string, WakeStory>();
  const decided: boolean[] = [];
  const isHushed = contract.quiet !== undefined && isQuiet(contract.quiet, now);
  const waiting = waitingAt(contract, past.account, now);
  const because: string[] = [];
  let [woken, isFull, memory] = [0, false, past.account?.memory];
  for (let at = from; at < candidates.length; at++) {
    const candidate = candidates[at]!;
    const { story } = candidate;
    const before = story === undefined ? undefined : (known.get(story) ?? past.stories.get(story));
    const isFree = !isHushed && mayWake(contract, candidate, before, wakes);
    const { isWake, ...timed } = decideOverTime(contract, memory, candidate, isFree);
    if (isWake && woken === mostWakes) break;
    memory = timed.memory;
    if (timed.because !== undefined) because.push(timed.because);
    woken += isWake ? 1 : 0;
    wakes += isWake ? 1 : 0;
    held += isWake ? 0 : 1;
    if (before?.seen !== seen) stories++;
    if (story !== undefined) known.set(story, { woke: isWake || before?.woke === true, seen });
    decided.push(isWake);
    if (waiting === undefined || isWake) continue;
    waiting.count++;
    isFull = waiting.count >= waiting.most;
    if (isFull) break;
  }
  const open = waiting && !isFull && { waiting: { dueAt: waiting.dueAt, count: waiting.count } };
  const account = { windowFrom, wakes, held, stories, ...open, ...(memory && { memory }) };
  return { wakes: decided, account, stories: known, isFull, because };
}

/** Returns undefined for a contract that does not count what waits. */
function waitingAt(contract: WakeContract, account: WakeAccount | undefined, now: Date) {
  const most = contract.digest?.whenWaiting;
  if (most === undefined) return undefined;
  const dueAt = digestDue(contract, now).getTime();
  return { most, dueAt, count: account?.waiting?.dueAt === dueAt ? account.waiting.count : 0 };
}

function mayWake(
  { per, atMost, minRelevance }: WakeContract,
  { relevance, isSilenced }: WakeCandidate,
  story: WakeStory | undefined,
  wakes: number,
): boolean {
  if (isSilenced === true) return false;
  if (per === 'story' && story?.woke === true) return false;
  if (minRelevance !== undefined && relevance !== null && relevance < minRelevance) return false;
  return atMost === undefined || wakes < atMost.count;
}
