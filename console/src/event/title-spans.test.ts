import { expect, it } from 'vitest';
import type { Passage } from './reading.ts';
import { titleSpans } from './title-spans.ts';

const passage = (text: string, ...words: string[]): Passage => ({
  field: 'data.text',
  role: 'text',
  text,
  spans: words.map((word) => ({ start: text.lastIndexOf(word), end: text.lastIndexOf(word) + word.length })),
});
const marked = (title: string, ...passages: Passage[]): string[] =>
  titleSpans(title, passages).map(({ start, end }) => title.slice(start, end));

it('the title of a story has the marks of the passage that it begins', () => {
  const text = 'All volcanoes:\n\n  the volcano of Eastport is awake, and a second volcano smokes';
  const told = passage(text, 'volcano of', 'smokes');
  expect(marked('All volcanoes: the volcano of Eastport is awake, and…', told)).toEqual(['volcano of']);
  expect(marked('All volcanoes: the volcano of Eastport is awake, and a second volcano smokes', told)).toEqual([
    'volcano of',
    'smokes',
  ]);
});

it('the title that another match gave has whole words marked, and no parts of them', () => {
  const other = passage('A volcano near us', 'volcano');
  expect(marked('Volcanoes are loud, and the volcano is louder', other)).toEqual(['volcano']);
  expect(marked('Stratovolcano', other)).toEqual([]);
  expect(marked('大きな火山が噴火した', passage('火山です', '火山'))).toEqual(['火山']);
  const detail = { ...passage('is', 'is'), role: 'detail' as const };
  expect(marked('The volcano is loud', detail)).toEqual([]);
});
