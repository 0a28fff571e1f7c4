/**
 * The terms of a contract that look at several matches: so many within a time, one after another, the first in a while, and rules that
 * keep others from waking. Matches are decided in the order in which they were stored, by the times at which they were. Pure.
 */
import type { WakeAccount, WakeContract } from '../domain/wake.ts';

type Memory = NonNullable<WakeAccount['memory']>;
type When = NonNullable<WakeContract['when']>;

/** The fields of a match for terms over several matches. A contract without such terms needs none of them. */
export interface TimedCandidate {
  /** When the match was stored, in milliseconds. */
  readonly at?: number;
  readonly ruleId?: string;
  /** Its author, site or source, where different ones are counted. Undefined: it has none, and does not count. */
  readonly key?: string | undefined;
  /** A match of the rule that must not follow has followed in time. */
  readonly isAnswered?: boolean | undefined;
}

export interface TimedDecision {
  readonly isWake: boolean;
  /** Why it wakes, in words. */
  readonly because?: string;
  readonly memory: Memory | undefined;
}

const MINUTE_MS = 60_000;
/** A rule is open for this time after each of its matches. */
export const OPEN_MS = 60 * MINUTE_MS;

/** `mayWake`: nothing else in the contract holds the match. Only such matches count. */
export function decideOverTime(
  { unless, when }: WakeContract,
  memory: Memory | undefined,
  match: TimedCandidate,
  mayWake: boolean,
): TimedDecision {
  if (unless === undefined && when === undefined) return { isWake: mayWake, memory };
  const { at = 0, ruleId } = match;
  const known = unless !== undefined && ruleId === unless ? { ...memory, openedAt: at } : memory;
  // The first of two matches goes into the digest.
  if (when?.after !== undefined && when.after === ruleId) return { isWake: false, memory: { ...known, firstAt: at } };
  if (when?.without !== undefined && when.without === ruleId) return { isWake: false, memory: known };
  const isOpen = ruleId !== unless && known?.openedAt !== undefined && at - known.openedAt < OPEN_MS;
  if (!mayWake || isOpen) return { isWake: false, memory: known };
  if (when === undefined) return { isWake: true, memory: known };
  if (when.without !== undefined) return { ...decideUnanswered(when, match), memory: known };
  return when.quietFor === undefined ? decideCount(when, known, match) : decideFirst(when.quietFor, known, match);
}

const decideUnanswered = ({ without, within = 0 }: When, { isAnswered }: TimedCandidate) =>
  isAnswered === true
    ? { isWake: false }
    : { isWake: true, because: `no match of ${without} within ${spanWords(within)}` };

/** A match that was being stored when a time ended is stored by then. */
const SETTLED_MS = 1_000;

/** How long a match waits before it is decided. */
export const patienceOf = (contract: WakeContract | undefined): number =>
  contract?.when?.without === undefined ? 0 : (contract.when.within ?? 0) + SETTLED_MS;

function decideFirst(quietFor: number, memory: Memory | undefined, { at = 0 }: TimedCandidate): TimedDecision {
  const since = memory?.lastAt === undefined ? undefined : at - memory.lastAt;
  const isWake = since === undefined || since >= quietFor;
  const because = since === undefined ? 'the first match' : `the first match in ${spanWords(since)}`;
  return { isWake, ...(isWake && { because }), memory: { ...memory, lastAt: at } };
}

/** After a wake the count begins anew. So no more is remembered than is asked for. */
function decideCount(
  { count = 1, distinct, within = 0, after }: When,
  memory: Memory | undefined,
  { at = 0, key = '' }: TimedCandidate,
): TimedDecision {
  const { recent = [], firstAt, ...rest } = memory ?? {};
  const isLate = after !== undefined && (firstAt === undefined || at - firstAt > within);
  if (isLate || (distinct !== undefined && key === '')) return { isWake: false, memory };
  // They are in order of time, so those that are too old are the first. A hundred may count: no function is called for each.
  const now = recent.slice(firstWithin(recent, at - within));
  if (distinct !== undefined) dropKey(now, key);
  now.push([at, distinct === undefined ? '' : key]);
  if (now.length < count) return { isWake: false, memory: { ...memory, recent: now } };
  const counted = count === 1 ? '' : `${now.length} ${NOUNS[distinct ?? 'match']} in ${spanWords(at - now[0]![0])}`;
  const follows = after === undefined ? '' : `${spanWords(at - (firstAt ?? at))} after a match of ${after}`;
  return { isWake: true, because: [counted, follows].filter((part) => part !== '').join(', '), memory: rest };
}

type Counted = NonNullable<Memory['recent']>[number];

function firstWithin(recent: readonly Counted[], after: number): number {
  let first = 0;
  while (first < recent.length && recent[first]![0] <= after) first++;
  return first;
}

/** Each is there once at most. */
function dropKey(recent: Counted[], key: string): void {
  for (let index = 0; index < recent.length; index++) {
    if (recent[index]![1] !== key) continue;
    recent.splice(index, 1);
    return;
  }
}

const NOUNS = { match: 'matches', author: 'authors', site: 'sites', source: 'sources' };

/** In whole minutes, an unfinished one counted. */
function spanWords(milliseconds: number): string {
  const minutes = Math.max(1, Math.ceil(milliseconds / MINUTE_MS));
  return minutes === 1 ? '1 minute' : `${minutes} minutes`;
}
