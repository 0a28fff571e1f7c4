/** Which matches wake, and which are held for the next digest. Pure: a contract, what it has come to, and matches give an answer. */
import type { WakeAccount, WakeContract, WakeStory } from '../domain/wake.ts';

export interface WakeCandidate {
  /** Undefined: the match is a story of its own. */
  readonly story: string | undefined;
  /** Null when it is not known. */
  readonly relevance: number | null;
}

export interface WakeDecision {
  /** For each decided candidate, from the first on, whether it wakes. */
  readonly wakes: readonly boolean[];
  readonly account: WakeAccount;
  /** What is known of the candidates' stories from now on. */
  readonly stories: ReadonlyMap<string, WakeStory>;
}

export interface WakePast {
  /** Undefined when nothing was decided yet. */
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

/** Decides candidates in their order, and stops before the one that would be wake number `mostWakes + 1`. */
export function decideWakes(
  contract: WakeContract,
  past: WakePast,
  candidates: readonly WakeCandidate[],
  { now, mostWakes = Number.POSITIVE_INFINITY }: { now: Date; mostWakes?: number },
): WakeDecision {
  let { windowFrom, wakes, held, stories } = wakeAccountAt(contract, past.account, now);
  const seen = windowFrom.getTime();
  const known = new Map<string, WakeStory>();
  const decided: boolean[] = [];
  let woken = 0;
  for (const candidate of candidates) {
    const { story } = candidate;
    const before = story === undefined ? undefined : (known.get(story) ?? past.stories.get(story));
    const isWake = mayWake(contract, candidate, before, wakes);
    if (isWake && woken === mostWakes) break;
    if (isWake) woken++;
    wakes += isWake ? 1 : 0;
    held += isWake ? 0 : 1;
    if (before?.seen !== seen) stories++;
    if (story !== undefined) known.set(story, { woke: isWake || before?.woke === true, seen });
    decided.push(isWake);
  }
  return { wakes: decided, account: { windowFrom, wakes, held, stories }, stories: known };
}

function mayWake(
  { per, atMost, minRelevance }: WakeContract,
  { relevance }: WakeCandidate,
  story: WakeStory | undefined,
  wakes: number,
): boolean {
  if (per === 'story' && story?.woke === true) return false;
  if (minRelevance !== undefined && relevance !== null && relevance < minRelevance) return false;
  return atMost === undefined || wakes < atMost.count;
}
