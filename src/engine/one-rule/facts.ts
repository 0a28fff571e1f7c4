/** Predicates that no word shows: numbers, places, times, samples, and whether a field is there at all. */
import type { Bound, Predicate } from '../../rules/query.ts';
import type { EventView } from '../events/event-view.ts';
import { lies } from './geo.ts';
import { isSampled } from './sample.ts';

export type Fact = Extract<
  Predicate,
  { kind: 'number' | 'exists' | 'circle' | 'box' | 'sample' | 'recent' | 'upstream' }
>;

export function factHolds(fact: Fact, event: EventView, now: number): boolean {
  switch (fact.kind) {
    case 'number':
      return event.numbers.some(({ field, value }) => field === fact.field && isBetween(value, fact.from, fact.to));
    case 'exists':
      return hasWords(event, fact.field);
    case 'circle':
    case 'box':
      return event.place !== undefined && lies(event.place, fact);
    case 'sample':
      return isSampled(event.id, fact.percent);
    case 'recent':
      return event.publishedAt !== undefined && now - event.publishedAt <= fact.milliseconds;
    case 'upstream':
      return false;
  }
}

function hasWords({ pieces, words }: EventView, field: string): boolean {
  for (let word = 0; word < words.count; word++) if (pieces[words.pieces[word]!]!.field === field) return true;
  return false;
}

function isBetween(value: number, from: Bound<number> | undefined, to: Bound<number> | undefined): boolean {
  if (from !== undefined && (from.inclusive ? value < from.value : value <= from.value)) return false;
  return to === undefined || (to.inclusive ? value <= to.value : value < to.value);
}
