import { expect, it } from 'vitest';
import type { Match } from '../domain/match.ts';
import type { Silence } from '../domain/wake.ts';
import { silenceOf } from './silences.ts';

const post = {
  platform: 'x',
  platformPostId: '1',
  ruleId: 'rule_1',
  ruleName: 'Storms',
  source: 'source_1',
  storyId: 'story_1',
  payload: {
    data: { text: `Storm over the ${'very '.repeat(200)}old Harbour`, author_id: '7' },
    includes: { users: [{ id: '7', username: 'Ada' }] },
  },
} as const satisfies Partial<Match>;

const page = {
  ...post,
  platform: 'firehose',
  payload: { title: 'Storm warning', url: 'https://www.Example.com/a', added: 'Harbour closed' },
} as const;

const silence = (terms: Partial<Silence>): Silence => ({
  id: 'silence_1',
  accountId: 'acct_1',
  until: new Date(1),
  reason: '',
  createdAt: new Date(0),
  by: { kind: 'system' },
  ...terms,
});

it.each([
  [{}, true, true],
  [{ ruleIds: ['rule_2', 'rule_1'] }, true, true],
  [{ ruleIds: ['rule_2'] }, false, false],
  [{ sourceIds: ['source_1'] }, true, true],
  [{ sourceIds: ['source_2'] }, false, false],
  [{ storyId: 'story_1' }, true, true],
  [{ storyId: 'story_2' }, false, false],
  [{ author: '@ada' }, true, false],
  [{ author: 'ADA' }, true, false],
  [{ author: 'example.com' }, false, true],
  [{ author: 'da' }, false, false],
  [{ text: 'old harbour' }, true, false],
  [{ text: 'warning Harbour' }, false, true],
  [{ text: 'volcano' }, false, false],
  [{ author: '@ada', text: 'volcano' }, false, false],
])('%j covers the post: %s, the page: %s', (terms, ofPost, ofPage) => {
  expect(silenceOf([silence(terms)], post) !== undefined).toBe(ofPost);
  expect(silenceOf([silence(terms)], page) !== undefined).toBe(ofPage);
});

it('reads a text once for all silences and all who ask, and no further than 8,192 characters', () => {
  const reads = { text: 0 };
  const long = (words: string) => ({
    ...post,
    payload: {
      data: {
        get text() {
          reads.text++;
          return words;
        },
      },
    },
  });
  const all = Array.from({ length: 100 }, () => silence({ text: 'volcano' }));
  const match = long(`${'a'.repeat(8_185)}volcano`);
  // As many requests ask that wait for the same match.
  for (let ask = 0; ask < 3; ask++) expect(silenceOf(all, match)).toBeDefined();
  expect(silenceOf(all, long(`${'a'.repeat(8_186)}volcano`))).toBeUndefined();
  expect(reads.text).toBe(2);
});

it('is the one that holds longest, of several', () => {
  const all = [3, 9, 5].map((end) => silence({ id: `silence_${end}`, until: new Date(end) }));
  expect(silenceOf(all, post)?.id).toBe('silence_9');
  expect(silenceOf([], post)).toBeUndefined();
});
