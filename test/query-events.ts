/**
 * Small events made of what queries ask for: every predicate gives a piece of an event that it holds for, and an event
 * is a choice of pieces. Two queries that agree on all of them agree on what they speak of.
 */

import type { Platform } from '../src/domain/platform.ts';
import type { EventView } from '../src/engine/events/event-view.ts';
import { addText, addValue, newViewBuilder, sameOffsets, shownAt } from '../src/engine/events/view-builder.ts';
import { DEFAULT_FIELD, fieldNamed } from '../src/rules/firehose/syntax-table.ts';
import { scanWords as scanPage } from '../src/rules/firehose/words.ts';
import { literalsOf } from '../src/rules/pattern/pattern.ts';
import { readRegex } from '../src/rules/pattern/regex.ts';
import { readWildcard } from '../src/rules/pattern/wildcard.ts';
import type { Bound, Predicate, Query } from '../src/rules/query.ts';
import { scanWords as scanPost } from '../src/rules/x/words.ts';

/** The moment of matching. */
export const EVENT_NOW = Date.UTC(2026, 1, 13, 8);

type Ingredient =
  | { readonly field: string; readonly text: string }
  | { readonly field: string; readonly number: number }
  | { readonly age: number }
  | { readonly longitude: number; readonly latitude: number };

const MAX_EXHAUSTIVE = 7;
const SAMPLED = 200;

/** Events for these queries together: all choices of few ingredients, a fixed sample of the choices of many. */
export function* eventsFor(platform: Platform, queries: readonly Query[]): Generator<EventView> {
  const found = new Map<string, Ingredient>();
  for (const query of queries) {
    for (const one of predicatesIn(query))
      for (const ingredient of ingredientsOf(one)) found.set(JSON.stringify(ingredient), ingredient);
  }
  const ingredients = [...found.values()];
  // A sample is taken by the id.
  const isSampled = queries.some((query) => [...predicatesIn(query)].some(({ kind }) => kind === 'sample'));
  const ids = Array.from({ length: isSampled ? 40 : 2 }, (_, id) => id);
  const count = ingredients.length <= MAX_EXHAUSTIVE ? 1 << ingredients.length : SAMPLED;
  for (let choice = 0; choice < count; choice++) {
    const isChosen = (at: number) => (count === SAMPLED ? mixed(choice, at) : ((choice >> at) & 1) === 1);
    const chosen = ingredients.filter((_, at) => isChosen(at));
    for (const id of ids) yield viewOf(platform, id % 2 === 0 ? chosen : chosen.toReversed(), choice * 100 + id);
  }
}

/** A fair coin, the same each time. */
function mixed(seed: number, at: number): boolean {
  let bits = Math.imul(seed + 1, 0x9e3779b1) ^ Math.imul(at + 1, 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 15), 0x2c1b3c6d);
  return ((bits ^ (bits >>> 13)) & 1) === 1;
}

function* predicatesIn(query: Query): Generator<Predicate> {
  if (query.kind === 'all' || query.kind === 'any') for (const part of query.of) yield* predicatesIn(part);
  else if (query.kind === 'not') yield* predicatesIn(query.query);
  else if (query.kind !== 'everything' && query.kind !== 'nothing') yield query;
}

function ingredientsOf(predicate: Predicate): Ingredient[] {
  switch (predicate.kind) {
    case 'term':
    case 'fuzzy':
      return [{ field: predicate.field, text: predicate.term }];
    case 'phrase':
      return [{ field: predicate.field, text: predicate.terms.map((term) => term ?? 'zzz').join(' ') }];
    case 'literal':
      return [predicate.text, predicate.terms.join(' ')].map((text) => ({ field: predicate.field, text }));
    case 'contains':
      return [{ field: predicate.field, text: predicate.text }];
    case 'prefix':
      return [predicate.prefix, `${predicate.prefix}s`].map((text) => ({ field: predicate.field, text }));
    case 'wildcard':
      return [{ field: predicate.field, text: sampleOf(predicate.pattern) }];
    case 'regex': {
      const read = readRegex(predicate.pattern);
      return 'problem' in read ? [] : [{ field: predicate.field, text: literalsOf(read.regex).required.join('') }];
    }
    case 'range':
      return edgesOf(predicate, (value) => `${value}5`)
        .concat(edgesOf(predicate, (value) => value.slice(0, -1)))
        .map((text) => ({ field: predicate.field, text }));
    case 'number':
      return edgesOf(predicate, (value) => value + 1)
        .concat(edgesOf(predicate, (value) => value - 1))
        .map((number) => ({ field: predicate.field, number }));
    case 'exists':
      return [{ field: predicate.field, text: 'something' }];
    case 'circle':
      return [{ longitude: predicate.longitude, latitude: predicate.latitude }];
    case 'box':
      return [{ longitude: (predicate.west + predicate.east) / 2, latitude: (predicate.south + predicate.north) / 2 }];
    case 'recent':
      return [predicate.milliseconds, predicate.milliseconds + 1].map((age) => ({ age }));
    case 'sample':
    case 'upstream':
      return [];
  }
}

/** A text that the pattern fits, with something behind each star. */
const sampleOf = (pattern: string) =>
  readWildcard(pattern)
    .map((code) => (code < 0 ? 'x' : String.fromCodePoint(code)))
    .join('');

const edgesOf = <T>({ from, to }: { from?: Bound<T>; to?: Bound<T> }, next: (value: T) => T): T[] =>
  [from, to].flatMap((bound) => (bound === undefined ? [] : [bound.value, next(bound.value)]));

const isText = (platform: Platform, field: string) =>
  platform === 'x'
    ? ['text', 'bio', 'bio_name', 'bio_location', 'url', 'url_title', 'url_description', 'place'].includes(field)
    : (fieldNamed(field)?.kind ?? 'text') === 'text';

function viewOf(platform: Platform, chosen: readonly Ingredient[], id: number): EventView {
  const draft = newViewBuilder();
  const texts = new Map<string, string[]>([[platform === 'x' ? 'text' : DEFAULT_FIELD, ['zzz']]]);
  const numbers: { field: string; value: number }[] = [];
  let place: EventView['place'];
  let publishedAt: number | undefined;
  for (const one of chosen) {
    if ('age' in one) publishedAt = EVENT_NOW - one.age;
    else if ('number' in one) numbers.push({ field: one.field, value: one.number });
    else if ('longitude' in one) place = { kind: 'point', ...one };
    else if (isText(platform, one.field)) texts.set(one.field, [...(texts.get(one.field) ?? []), one.text]);
    else addValue(draft, one.field, one.text, shownAt(one.field, one.text));
  }
  for (const [field, parts] of texts) {
    const text = parts.join(' ');
    addText(draft, { scan: platform === 'x' ? scanPost : scanPage, gap: 0 }, field, text, shownAt(field, text));
  }
  return {
    id: String(id),
    pieces: draft.pieces,
    words: draft.words,
    numbers,
    place,
    publishedAt,
    offsetsOf: sameOffsets,
  };
}
