import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import type { Match } from '../../domain/match.ts';
import { DIGEST_FIELDS, fieldsOfDigest, fieldsOfMatch, MATCH_FIELDS, MessageLink, STORY_FIELDS } from './fields.ts';
import { TEMPLATE_FILTERS, TEMPLATE_TAGS } from './template.ts';

const GUIDE = resolve(import.meta.dirname, '..', '..', '..', 'docs', 'guides', 'message-templates.md');

const page: Match = {
  id: 'match_1',
  createdAt: new Date(0),
  position: 1,
  platform: 'firehose',
  platformPostId: '1',
  ruleId: 'rule_1',
  ruleName: 'Storms',
  ruleVersion: 1,
  payload: { title: 'T', added: `a ${'x'.repeat(3_000)}`, url: 'https://news.example/1', author: 'Ada' },
  highlights: [],
  sourceName: 'News',
  source: 'src_1',
  relevance: 0.5,
  relevanceReason: 'why',
};

const linkOf = (value: unknown) => (value instanceof MessageLink ? value.toString() : undefined);

it('has every field of a match, and no other', () => {
  const fields = fieldsOfMatch(page, { rateUrl: 'https://sluice.example/#/1', because: ['2 authors', 'more'] });
  expect(Object.keys(fields).toSorted()).toEqual(Object.keys(MATCH_FIELDS).toSorted());
  expect(fields).toMatchObject({
    title: 'T',
    author: 'Ada',
    site: 'news.example',
    source: 'News',
    relevance: 0.5,
    because: '2 authors; more',
    story_first: false,
    story_id: '',
    demo: false,
  });
  expect([linkOf(fields['url']), linkOf(fields['console_url'])]).toEqual([
    'https://news.example/1',
    'https://sluice.example/#/1',
  ]);
  expect(fields['text']).toHaveLength(280);
  expect(fields['full_text']).toHaveLength(2_000);
});

it('has the author of a post, and no link of what the demo feed invented', () => {
  const payload = { data: { text: 'a', author_id: '7' }, includes: { users: [{ id: '7', username: 'ada' }] } };
  const fields = fieldsOfMatch({ ...page, platform: 'x', payload, source: 'demo' });
  expect(fields).toMatchObject({ author: '@ada', url: '', demo: true, title: '', console_url: '' });
});

it('says of which story a match is, and is empty where nothing is known', () => {
  const known = { storyFirst: true, storyId: 'st_1', relevanceReason: 'why' };
  expect(fieldsOfMatch({ ...page, ...known })).toMatchObject({
    story_first: true,
    story_id: 'st_1',
    relevance_reason: 'why',
  });
  const { relevance: _, relevanceReason: __, sourceName: ___, source: ____, ...unknown } = page;
  expect(fieldsOfMatch({ ...unknown, payload: {} })).toMatchObject({
    relevance: '',
    relevance_reason: '',
    source: '',
    author: '',
    site: '',
    url: '',
    because: '',
  });
  expect(fieldsOfMatch({ ...unknown, source: 'src_1' })).toMatchObject({ source: 'src_1' });
});

it('has every field of a digest and of its stories, and no other', () => {
  const at = new Date(0).toISOString();
  const story = {
    story_id: null,
    title: 'T',
    url: 'https://news.example/1',
    size: 2,
    first_at: at,
    last_at: at,
    platforms: [],
    by: ['@ada', 'b'],
    rules: [{ id: 'r', name: 'R' }],
    links: [],
    match_ids: [],
  };
  const fields = fieldsOfDigest({ since: at, until: at, match_count: 2, story_count: 1, stories: [story] });
  expect(Object.keys(fields).toSorted()).toEqual(Object.keys(DIGEST_FIELDS).toSorted());
  const [told] = fields['stories'] as Record<string, unknown>[];
  expect(Object.keys(told!).toSorted()).toEqual(Object.keys(STORY_FIELDS).toSorted());
  expect(told).toMatchObject({ authors: '@ada, b', rules: 'R', size: 2 });
});

it('is in the guide with every name, tag and filter', () => {
  const guide = readFileSync(GUIDE, 'utf8');
  const names = [MATCH_FIELDS, DIGEST_FIELDS, STORY_FIELDS].flatMap((fields) => Object.keys(fields));
  const missing = [...names, ...TEMPLATE_TAGS, ...TEMPLATE_FILTERS].filter((name) => !guide.includes(`\`${name}\``));
  expect(missing).toEqual([]);
});
