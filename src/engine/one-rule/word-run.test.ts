/** Runs of words in texts that repeat themselves: the core, and the search for one rule, find what a plain reading finds. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { textEvent } from '../../../test/generated/hard-matching.ts';
import type { Query } from '../../rules/query.ts';
import { scanWords } from '../../rules/x/words.ts';
import { createCoreEngine } from '../core/core-engine.ts';
import type { EventView } from '../events/event-view.ts';
import { addText, newViewBuilder, shownAt } from '../events/view-builder.ts';
import { holds } from '../scan.ts';
import { queryHolds } from './holds.ts';
import { ViewLookup } from './view-lookup.ts';

/** Few words, so that runs of them nearly fit in many places. */
const anyWord = fc.constantFrom('a', 'a', 'a', 'b', 'ab');
const anyGap = fc.constantFrom(' ', ' ', ' ', ' ', ' ', ' ', '-', '  ', '. ');
const anyParts = (most: number) => fc.array(fc.tuple(anyWord, anyGap), { minLength: 1, maxLength: most });

function viewOf(texts: readonly string[]): EventView {
  const builder = newViewBuilder();
  for (const [index, text] of texts.entries()) {
    addText(builder, { scan: scanWords, gap: index % 2 }, 'text', text, shownAt('', text));
  }
  return { ...textEvent(''), pieces: builder.pieces, words: builder.words };
}

const queries = (parts: readonly (readonly [string, string])[], lead: string, trail: string): Query[] => {
  const terms = parts.map(([word]) => word);
  const body = parts.flat().slice(0, -1).join('');
  return [
    { kind: 'phrase', field: 'text', terms, slop: 0 },
    { kind: 'phrase', field: 'text', terms: terms.map((term, at) => (at > 0 && at % 3 === 0 ? null : term)), slop: 0 },
    { kind: 'phrase', field: 'text', terms, slop: 2 },
    { kind: 'literal', field: 'text', text: terms.join(' '), terms },
    { kind: 'literal', field: 'text', text: body, terms },
    { kind: 'literal', field: 'text', text: `${lead}${body}${trail}`, terms },
  ];
};

const core = createCoreEngine();

/** Whether the query is found, by both. The exclusion makes the core look at the rule on every event. */
function finds(query: Query, view: EventView): boolean {
  core.put('found', query);
  core.put('missed', { kind: 'not', query });
  const found = queryHolds(query, new ViewLookup(view, 0));
  expect(core.match(view).matches).toEqual([found ? 'found' : 'missed']);
  return found;
}

it('is found exactly where it stands, in texts of few words', () => {
  fc.assert(
    fc.property(
      fc.array(anyParts(60), { minLength: 1, maxLength: 3 }),
      anyParts(5),
      fc.constantFrom('', ' ', '-', '. '),
      fc.constantFrom('', ' ', '-', '.'),
      (texts, parts, lead, trail) => {
        const view = viewOf(texts.map((text) => text.flat().join('')));
        for (const query of queries(parts, lead, trail))
          expect([query, finds(query, view)]).toEqual([query, holds(query, view, 0)]);
      },
    ),
    { numRuns: 100 },
  );
});

it('is found where it was cut from, at the beginning, in the middle and at the end', () => {
  fc.assert(
    fc.property(anyParts(60), fc.nat(), fc.integer({ min: 1, max: 12 }), fc.nat(3), (text, from, length, extra) => {
      const start = from % text.length;
      const parts = text.slice(start, start + length);
      const view = viewOf(['b', text.flat().join(''), 'a a']);
      const before = text[start - 1]?.[1] ?? '';
      for (const query of queries(parts, before.slice(0, extra), (parts.at(-1)?.[1] ?? '').slice(0, extra))) {
        expect(query.kind !== 'phrase' || finds(query, view)).toBe(true);
        expect([query, finds(query, view)]).toEqual([query, holds(query, view, 0)]);
      }
    }),
    { numRuns: 100 },
  );
});

/** More words than the first way of searching is tried on. */
const MANY = 'x '.repeat(50_001);

it.each<[string, Query, string[], boolean]>([
  ['at the very beginning', { kind: 'literal', field: 'text', text: '-a', terms: ['a'] }, ['-a b', MANY], true],
  ['at the very end', { kind: 'literal', field: 'text', text: 'a-', terms: ['a'] }, [MANY, 'b a-'], true],
  ['cut off at the end', { kind: 'literal', field: 'text', text: 'a-b', terms: ['a', 'b'] }, [MANY, 'a-'], false],
  [
    'inside another word',
    { kind: 'literal', field: 'text', text: 'a-b', terms: ['a', 'b'] },
    [MANY, 'a-bc xa-b'],
    false,
  ],
  [
    'behind false beginnings',
    { kind: 'literal', field: 'text', text: 'a-a-b', terms: ['a', 'a', 'b'] },
    [MANY, 'a-a-a-b'],
    true,
  ],
  ['across two texts', { kind: 'literal', field: 'text', text: 'a-b', terms: ['a', 'b'] }, [MANY, 'a-', 'b'], false],
  ['of a single word', { kind: 'phrase', field: 'text', terms: ['a'], slop: 0 }, [MANY, 'a'], true],
  [
    'behind false beginnings, by its words',
    { kind: 'phrase', field: 'text', terms: ['a', 'a', 'b'], slop: 0 },
    [MANY, 'a a a b'],
    true,
  ],
])('is found in very many words, or not: %s', (_, query, texts, expected) => {
  const view = viewOf(texts);
  expect([finds(query, view), holds(query, view, 0)]).toEqual([expected, expected]);
});
