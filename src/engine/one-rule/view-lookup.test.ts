import { expect, it } from 'vitest';
import { newAnalyzer } from '../events/analyzer.ts';
import type { EventView } from '../events/event-view.ts';
import { ViewLookup } from './view-lookup.ts';

it('finds the places of a word, whether it looks through the event or in the table of its words', () => {
  const text = 'storm rain Storm stormy #storm calm storm';
  const view = newAnalyzer('x')({ data: { id: '1', text } }) as EventView;
  const lookup = new ViewLookup(view, 0);
  const found = () => ['storm', 'rain', 'sun'].map((word) => lookup.placesOf('text', word, 2));
  const first = found();
  const inText = first[0]!.map((at) => view.words.starts[at]);
  expect([inText, first[2]]).toEqual([[text.indexOf('storm'), text.indexOf('Storm')], []]);
  expect(lookup.placesOf('hashtag', 'rain', 2)).toEqual([]);
  // By now the table is made.
  expect([found(), found()]).toEqual([first, first]);
  expect(lookup.placesOf('hashtag', 'rain', 2)).toEqual([]);
});
