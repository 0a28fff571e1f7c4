import { expect, it } from 'vitest';
import { storyTitle } from './story-title.ts';

const post = (text: unknown) => storyTitle({ platform: 'x', payload: { data: { text } } });

it('is the text of a post on one line', () => {
  expect(post('  Lava\n flows \t again ')).toBe('Lava flows again');
});

it('is the title of a page, or else its new text', () => {
  const page = (payload: object) => storyTitle({ platform: 'firehose', payload: { ...payload } });
  expect([page({ title: 'Etna', added: 'x' }), page({ added: 'Lava flows' }), page({})]).toEqual([
    'Etna',
    'Lava flows',
    '',
  ]);
});

it('is cut at a word, and never inside a character', () => {
  expect(post('lava '.repeat(60))).toBe(`${'lava '.repeat(27).trim()}…`);
  expect(post('😀'.repeat(200))).toBe(`${'😀'.repeat(139)}…`);
  expect(post(`${'a'.repeat(5_000)} b`)).toBe(`${'a'.repeat(139)}…`);
});

it('is empty where there is no text', () => {
  expect([post(undefined), post(7)]).toEqual(['', '']);
});
