import { expect, it } from 'vitest';
import { joinedBy } from './joined-by.ts';

const told = (text: string, more: object = {}) => ({ platform: 'x' as const, text, links: [], posts: [], ...more });
const link = 'https://paper.example/2026/harbour-fire';
const first = told('Fire at Northline harbour, 2 hurt', { posts: ['1'], links: [link] });

it.each([
  ['post', told('look', { posts: ['2', '1'] }), []],
  ['link', told('Qué horror', { posts: ['2'], links: [`${link}?utm_source=a`] }), []],
  [
    'text',
    told('RT @port: Fire at Northline harbour, 2 hurt', { posts: ['2'] }),
    ['fire', 'northline', 'harbour', 'hurt'],
  ],
  ['words', told('Two people hurt in a harbour fire', { posts: ['2'] }), ['hurt', 'harbour', 'fire']],
  ['words', told('Something that was said later', { posts: ['2'] }), []],
])('an event joins a story by a %s', (by, later, words) => {
  expect(joinedBy(first, later)).toEqual({ by, words });
});
