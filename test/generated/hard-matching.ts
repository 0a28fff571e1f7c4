/** Rules and events made to be slow: long texts of few words, phrases that nearly match everywhere, patterns that explode. */

import type { EventView } from '../../src/engine/events/event-view.ts';
import { pageAnalyzer } from '../../src/engine/events/page-event.ts';
import { addText, newViewBuilder, sameOffsets, shownAt } from '../../src/engine/events/view-builder.ts';
import type { Query } from '../../src/rules/query.ts';
import { scanWords } from '../../src/rules/x/words.ts';

const MEBIBYTE = 1 << 20;
const LONGEST_RULE = 2_048;
const LONGEST_PAGE_RULE = 8_192;
/** Patterns are for pages, whose words have 255 units at most and whose exact values no more than this. */
const LONGEST_VALUE = 8_192;
const LONGEST_WORD = 255;

export function hardEvents(): { name: string; view: EventView }[] {
  return [
    { name: '1 MiB of one letter as words', view: textEvent('a '.repeat(MEBIBYTE / 2)) },
    { name: '1 MiB of two words by turns', view: textEvent('a b '.repeat(MEBIBYTE / 4)) },
    { name: '1 MiB as one word', view: textEvent('a'.repeat(MEBIBYTE)) },
    { name: '1 MiB of different words', view: textEvent(differentWords()) },
    { name: '1 MiB of emoji', view: textEvent('🌋'.repeat(MEBIBYTE / 4)) },
    {
      name: '1 MiB of the longest words of pages',
      view: pageAnalyzer()({ id: '1', added: longestWords() }) as EventView,
    },
    { name: 'the longest address', view: pageAnalyzer()({ url: 'a'.repeat(LONGEST_VALUE) }) as EventView },
  ];
}

export function hardRules(): { name: string; query: Query }[] {
  const field = 'text';
  const words = (count: number, last: string) => [...Array.from({ length: count }, () => 'a'), last];
  const turns = (count: number) => Array.from({ length: count }, (_, index) => (index % 2 === 0 ? 'a' : 'b'));
  return [
    { name: 'a phrase of one word and another', query: phrase(words(1_000, 'b'), 0) },
    { name: 'a phrase that breaks its rhythm at the end', query: phrase([...turns(1_000), 'b', 'a', 'a'], 0) },
    { name: 'the same, loosely', query: phrase([...turns(20), 'a', 'a'], 3) },
    { name: 'a phrase far too loose', query: phrase(['a', 'zz', 'b', 'a'], 5_000) },
    { name: 'a literal that is wrong at the end', query: literal(`${'a '.repeat(500)} a`, words(500, 'a')) },
    { name: 'a literal of one word again and again', query: literal('a '.repeat(500).trim(), words(499, 'a')) },
    { name: 'a literal of signs', query: literal('- - - !', []) },
    { name: 'a regular expression that explodes', query: { kind: 'regex', field, pattern: '(a+)+b' } },
    { name: 'another', query: { kind: 'regex', field, pattern: '(a|aa)*(a|b)*c' } },
    {
      name: 'a wildcard of stars',
      query: { kind: 'wildcard', field: 'url', pattern: `${'*a'.repeat(LONGEST_PAGE_RULE / 2 - 8)}*b` },
    },
    // The language refuses it; the engine takes its time for it all the same.
    {
      name: 'a wildcard of many places',
      query: { kind: 'wildcard', field: 'added', pattern: `*${'a?'.repeat(4_000)}*b` },
    },
    {
      name: 'a long word with mistakes',
      query: { kind: 'fuzzy', field: 'added', term: `b${'a'.repeat(250)}bbb`, edits: 2 },
    },
    { name: 'a word with mistakes', query: { kind: 'fuzzy', field, term: 'aaaaaaaabb', edits: 2 } },
    { name: 'a part', query: { kind: 'contains', field, text: `${'a'.repeat(500)}b` } },
    { name: 'a beginning', query: { kind: 'prefix', field, prefix: 'a'.repeat(500) } },
    { name: 'a rule of the largest size', query: { kind: 'any', of: words(LONGEST_RULE / 2, 'b').map(term) } },
    {
      name: 'many absences',
      query: { kind: 'not', query: { kind: 'any', of: words(LONGEST_RULE / 2, 'b').map(term) } },
    },
  ];
}

const term = (word: string, index: number): Query => ({ kind: 'term', field: 'text', term: `${word}${index % 7}` });
const phrase = (terms: string[], slop: number): Query => ({ kind: 'phrase', field: 'text', terms, slop });
const literal = (text: string, terms: string[]): Query => ({ kind: 'literal', field: 'text', text, terms });

const differentWords = (): string =>
  Array.from({ length: MEBIBYTE / 8 }, (_, index) => `w${(index + 1_000_000).toString(36)}`).join(' ');

const longestWords = (): string =>
  Array.from({ length: MEBIBYTE / (LONGEST_WORD + 1) }, (_, index) => `${index}`.padStart(LONGEST_WORD, 'a')).join(' ');

/** An event that is nothing but a text. */
export function textEvent(text: string): EventView {
  const builder = newViewBuilder();
  addText(builder, { scan: scanWords, gap: 0 }, 'text', text, shownAt('text', text));
  return {
    id: '1',
    pieces: builder.pieces,
    words: builder.words,
    numbers: [],
    place: undefined,
    publishedAt: undefined,
    offsetsOf: sameOffsets,
  };
}
