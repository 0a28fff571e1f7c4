/** Matching, highlights and explanations: a rule made to be slow costs no more than the length of the event. */
import { describe, expect, it } from 'vitest';
import { createCoreEngine } from '../../src/engine/core/core-engine.ts';
import type { EventView } from '../../src/engine/events/event-view.ts';
import { explain } from '../../src/engine/explain/explain.ts';
import { highlights, MOST_STEPS } from '../../src/engine/explain/highlights.ts';
import { queryHolds } from '../../src/engine/one-rule/holds.ts';
import { ViewLookup } from '../../src/engine/one-rule/view-lookup.ts';
import type { Predicate, Query } from '../../src/rules/query.ts';
import { hardRules, textEvent } from '../generated/hard-matching.ts';
import { doubling, upTo } from './doubling.ts';

const LARGEST = 32 * 1024;
const filled = (part: string, length: number): string => part.repeat(Math.ceil(length / part.length)).slice(0, length);
const distinct = (length: number): string =>
  Array.from({ length: Math.ceil(length / 8) }, (_, index) => `w${(index + 1_000_000).toString(36)}`).join(' ');

const TEXTS: Record<string, (size: number) => string> = {
  'one word again and again': (size) => filled('a ', size),
  'two words by turns': (size) => filled('a b ', size),
  'nearly the phrase, again and again': (size) => filled(`${'a '.repeat(499)}c `, size),
  'distinct words': distinct,
  'one long word': (size) => filled('a', size),
};

const field = 'text';
/** One of every kind, beside the hard ones. */
const KINDS: Record<Predicate['kind'], Predicate> = {
  term: { kind: 'term', field, term: 'a' },
  phrase: { kind: 'phrase', field, terms: ['a', null, 'b', 'a'], slop: 3 },
  literal: { kind: 'literal', field, text: 'a b a', terms: ['a', 'b', 'a'] },
  contains: { kind: 'contains', field, text: 'ab' },
  prefix: { kind: 'prefix', field, prefix: 'aaab' },
  wildcard: { kind: 'wildcard', field, pattern: '*a?*a*b' },
  regex: { kind: 'regex', field, pattern: '(a|w)[a-z0-9]*-' },
  fuzzy: { kind: 'fuzzy', field, term: 'wzzzzz', edits: 2 },
  range: { kind: 'range', field, from: { value: 'x', inclusive: true } },
  number: { kind: 'number', field: 'dr', from: { value: 3, inclusive: true } },
  exists: { kind: 'exists', field: 'title' },
  circle: { kind: 'circle', longitude: 0, latitude: 0, radius: 10 },
  box: { kind: 'box', west: 0, south: 0, east: 1, north: 1 },
  sample: { kind: 'sample', percent: 50 },
  recent: { kind: 'recent', milliseconds: 1_000 },
  upstream: { kind: 'upstream', operator: 'embedding', value: 'a' },
};
const RULES: { name: string; query: Query }[] = [
  ...hardRules(),
  ...Object.entries(KINDS).map(([name, query]) => ({ name: `the kind ${name}`, query })),
];

describe.each(Object.entries(TEXTS))('on %s', (_, text) => {
  const views = new Map<number, EventView>();
  const make = (size: number): EventView => {
    const view = views.get(size) ?? textEvent(text(size));
    views.set(size, view);
    return view;
  };
  const sizes = upTo(LARGEST);

  // One engine for all of them: a rule that takes more than linear time dwarfs the others at the largest size.
  const engine = createCoreEngine({ now: () => 0 });
  for (const { name, query } of RULES) engine.put(name, query);
  doubling('matching every rule', { sizes, make, work: (view) => void engine.match(view) });

  for (const { name, query } of RULES) {
    doubling(`the verdict on ${name}`, { sizes, make, work: (view) => verdictSteps(query, view) });
    doubling(`highlights of ${name}`, { sizes, make, work: (view) => highlightSteps(query, view) });
    doubling(`an explanation of ${name}`, { sizes, make, work: (view) => explanationSteps(query, view) });
  }
});

function verdictSteps(query: Query, view: EventView): number {
  const lookup = new ViewLookup(view, 0);
  queryHolds(query, lookup);
  return lookup.steps + view.words.count;
}

function highlightSteps(query: Query, view: EventView): number {
  const lookup = new ViewLookup(view, 0);
  highlights(query, lookup);
  return lookup.steps + view.words.count;
}

function explanationSteps(query: Query, view: EventView): number {
  const lookup = new ViewLookup(view, 0);
  explain(query, lookup);
  return lookup.steps + view.words.count;
}

describe('a rule of 1,024 patterns on a page of distinct words', () => {
  const patterns = Array.from(
    { length: 1_024 },
    (_, index): Query => ({ kind: 'wildcard', field, pattern: `*?${index}-` }),
  );
  const query: Query = { kind: 'any', of: [{ kind: 'term', field, term: 'a' }, ...patterns] };
  const make = (size: number): EventView => textEvent(`a ${distinct(size)}`);

  doubling('its explanation', { sizes: upTo(16 * 1024), make, work: (view) => explanationSteps(query, view) });

  it('has its highlights within a number of steps, whatever the length of the page', () => {
    for (const size of upTo(LARGEST)) {
      const view = make(size);
      expect(highlightSteps(query, view)).toBeLessThanOrEqual(MOST_STEPS + 2 * view.words.count + 2);
    }
  });
});
