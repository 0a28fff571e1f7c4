/** Runs a program on an event: exact, and over as soon as a part has settled it. */
import { longPhraseOf } from './long-phrase.ts';
import { OUT_OF_STEPS, type PatternBudget } from './pattern-budget.ts';
import { findsPhrase, takesLong } from './phrase.ts';
import { decideOnce, type Predicates } from './predicates.ts';
import type { Presence } from './presence.ts';
import { ABSENT, ALL, ANY, FAIL, KIND, NEGATED, nodeLength, payloadOf, TERM } from './program.ts';

/** The event at hand, and what programs are evaluated with. */
export interface Moment {
  readonly presence: Presence;
  readonly predicates: Predicates;
  /** The number of the event, never the same twice. */
  epoch: number;
  readonly now: () => number;
  /** The number of the chunk that holds the program at hand. */
  chunk: number;
  /** The limit to the work, where the caller has one. */
  budget: PatternBudget | undefined;
}

export function programHolds(code: Int32Array, at: number, moment: Moment): boolean {
  const payload = payloadOf(code[at]!);
  switch (code[at]! & KIND) {
    case TERM:
      return moment.presence.has(payload);
    case ABSENT:
      return !moment.presence.has(payload);
    case ALL:
      return settles(code, at, moment, false);
    case ANY:
      return settles(code, at, moment, true);
    default:
      return holdsLater(code, at, moment);
  }
}

/** Whether some part of a join gives `verdict`, which decides it; if none does it is the other way round. */
function settles(code: Int32Array, at: number, moment: Moment, verdict: boolean): boolean {
  const { bits } = moment.presence;
  const end = at + 1 + payloadOf(code[at]!);
  for (let part = at + 1; part < end; ) {
    const node = code[part]!;
    if ((node & KIND) <= ABSENT) {
      const term = payloadOf(node);
      const present = ((bits[term >>> 5]! >>> (term & 31)) & 1) === 1;
      if ((present === ((node & KIND) === TERM)) === verdict) return verdict;
      part++;
    } else {
      if (programHolds(code, part, moment) === verdict) return verdict;
      part += nodeLength(code, part);
    }
  }
  return !verdict;
}

function holdsLater(code: Int32Array, at: number, moment: Moment): boolean {
  const { presence, predicates, epoch, now, budget } = moment;
  const kind = code[at]! & KIND;
  if (kind <= FAIL) {
    return decideOnce(predicates.at(payloadOf(code[at]!)), presence, epoch, now, budget) === (kind !== FAIL);
  }
  const found = budget === undefined ? findsPhrase(code, at, presence) : findsWithin(budget, code, at, moment);
  return found === ((code[at + 1]! & NEGATED) === 0);
}

function findsWithin(budget: PatternBudget, code: Int32Array, at: number, { presence, chunk }: Moment): boolean {
  const isHard = takesLong(code, at, presence);
  const isKept = presence.isLong || isHard;
  const key = isKept ? `${chunk} ${at}` : '';
  const known = isKept ? budget.phrases.get(key) : undefined;
  if (known !== undefined) return known;
  if (isHard) {
    // One copy for all phrases of the event.
    budget.terms ??= presence.wordTerms.slice(0, presence.event.words.count);
    budget.longPhrases.set(key, longPhraseOf(code, at, budget.terms));
    throw OUT_OF_STEPS;
  }
  if (isKept && budget.left <= 0) throw OUT_OF_STEPS;
  const before = presence.steps;
  const found = findsPhrase(code, at, presence);
  budget.left -= presence.steps - before;
  if (isKept) budget.phrases.set(key, found);
  return found;
}
