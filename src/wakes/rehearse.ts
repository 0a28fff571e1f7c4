/** The decisions that a contract would have made on past matches, by the same function as a webhook's. Pure. */
import type { WakeAccount, WakeContract, WakeStory } from '../domain/wake.ts';
import { decideWakes, digestDue, type WakeCandidate } from './decide.ts';
import { afterQuiet } from './local-time.ts';
import { patienceOf } from './over-time.ts';

/** With the time at which it was stored. */
export type RehearsedMatch = WakeCandidate & { readonly at: number };

export interface RehearsedWakes {
  /** The wakes that would have been sent, with time and reason, oldest first. */
  readonly wakes: readonly { readonly at: Date; readonly matches: number; readonly because: string }[];
  readonly digests: readonly { readonly at: Date; readonly matches: number }[];
  readonly held: number;
}

/** A webhook waits so long after a match, so that others can join its batch. */
const BATCH_MS = 1_000;

/** `matches` are in the order in which they were stored. */
export function rehearse(contract: WakeContract, matches: readonly RehearsedMatch[]): RehearsedWakes {
  const stories = new Map<string, WakeStory>();
  const wakes: { at: Date; matches: number; because: string }[] = [];
  const digests: { at: Date; matches: number }[] = [];
  const open = new Map<number, number>();
  let account: WakeAccount | undefined;
  let held = 0;
  for (const { now, batch } of batchesOf(answered(contract, matches), patienceOf(contract))) {
    for (let from = 0; from < batch.length; ) {
      const decision = decideWakes(contract, { account, stories }, batch, { now, from });
      from += decision.wakes.length;
      account = decision.account;
      for (const [story, state] of decision.stories) stories.set(story, state);
      const woke = decision.wakes.filter(Boolean).length;
      if (woke > 0) wakes.push({ at: now, matches: woke, because: becauseOf(contract, woke, decision.because) });
      const more = decision.wakes.length - woke;
      if (more === 0) continue;
      held += more;
      const due = digestDue(contract, now).getTime();
      const waiting = (open.get(due) ?? 0) + more;
      open.set(due, waiting);
      if (!decision.isFull) continue;
      open.delete(due);
      digests.push({ at: afterQuiet(contract.quiet, now), matches: waiting });
    }
  }
  digests.push(...[...open].map(([due, waiting]) => ({ at: new Date(due), matches: waiting })));
  return { wakes, digests: digests.toSorted((one, other) => one.at.getTime() - other.at.getTime()), held };
}

/** From the last on: when the rule that must not follow matched next. */
function answered({ when }: WakeContract, matches: readonly RehearsedMatch[]): readonly RehearsedMatch[] {
  if (when?.without === undefined) return matches;
  let next = Number.POSITIVE_INFINITY;
  const marked = matches.toReversed().map((match) => {
    const isAnswered = next - match.at <= (when.within ?? 0);
    if (match.ruleId === when.without) next = match.at;
    return { ...match, isAnswered };
  });
  return marked.toReversed();
}

/** Matches of one second, and when they are decided. */
function* batchesOf(
  matches: readonly RehearsedMatch[],
  patience: number,
): Iterable<{ now: Date; batch: RehearsedMatch[] }> {
  let batch: RehearsedMatch[] = [];
  let until = 0;
  for (const match of matches) {
    if (batch.length > 0 && match.at >= until) {
      yield { now: new Date(until + patience), batch };
      batch = [];
    }
    if (batch.length === 0) until = match.at + BATCH_MS;
    batch.push(match);
  }
  if (batch.length > 0) yield { now: new Date(until + patience), batch };
}

function becauseOf({ per }: WakeContract, count: number, because: readonly string[]): string {
  if (because.length > 0) return because.join('; ');
  if (per === 'story') return count === 1 ? 'a new story' : `${count} new stories`;
  return count === 1 ? 'a match' : `${count} matches`;
}
