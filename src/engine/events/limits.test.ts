import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newAnalyzer } from './analyzer.ts';
import { isRejection } from './event-view.ts';
import { EVENT_LIMITS, OTHER_CHARACTERS, OTHER_ENTRIES } from './limits.ts';

type Make = (value: unknown) => unknown;

const page = newAnalyzer('firehose');
const post = newAnalyzer('x');
const rejection = (result: ReturnType<typeof page>): string | undefined =>
  isRejection(result) ? result.rejected : undefined;

const ofPage = (rest: object): unknown => ({ id: '1', ...rest });
const ofPost = (data: object, includes?: object): unknown => ({ data: { id: '1', text: 'a', ...data }, includes });
const ofUser = (user: object): unknown => ofPost({ author_id: '2' }, { users: [{ id: '2', ...user }] });
const ofPlace = (place: object): unknown => ofPost({ geo: { place_id: '3' } }, { places: [{ id: '3', ...place }] });
const ofEntity = (kind: string, entity: object): unknown => ofPost({ entities: { [kind]: [entity] } });
const { characters, entries } = EVENT_LIMITS;

const PAGE_VALUES: [string, number, Make][] = [
  ['id', characters['id']!, (id) => ({ id })],
  ['url', characters['url']!, (url) => ofPage({ url })],
  ['domain', characters['domain']!, (domain) => ofPage({ domain })],
  ['title', characters['title']!, (title) => ofPage({ title })],
  ['language', characters['language']!, (language) => ofPage({ language })],
  ['publish_time', characters['publish_time']!, (time) => ofPage({ publish_time: time })],
  ['page_category.0', OTHER_CHARACTERS, (value) => ofPage({ page_category: [value] })],
  ['page_types.0', OTHER_CHARACTERS, (value) => ofPage({ page_types: [value] })],
  ['page_type', OTHER_CHARACTERS, (value) => ofPage({ page_type: value })],
  ['added', characters['added']!, (added) => ofPage({ added })],
  ['diff.chunks.0.text', characters['removed']!, (text) => ofPage({ diff: { chunks: [{ typ: 'del', text }] } })],
];

const POST_VALUES: [string, number, Make][] = [
  ['data.id', characters['id']!, (id) => ofPost({ id })],
  ['data.text', characters['text']!, (text) => ofPost({ text, entities: {} })],
  ['data.author_id', OTHER_CHARACTERS, (id) => ofPost({ author_id: id })],
  ['data.conversation_id', OTHER_CHARACTERS, (id) => ofPost({ conversation_id: id })],
  ['data.in_reply_to_user_id', OTHER_CHARACTERS, (id) => ofPost({ in_reply_to_user_id: id })],
  ['data.lang', characters['lang']!, (lang) => ofPost({ lang })],
  ['data.source', OTHER_CHARACTERS, (source) => ofPost({ source })],
  ['data.geo.place_id', OTHER_CHARACTERS, (id) => ofPost({ geo: { place_id: id } })],
  ['data.entities.hashtags.0.tag', OTHER_CHARACTERS, (tag) => ofEntity('hashtags', { tag })],
  ['data.entities.cashtags.0.tag', OTHER_CHARACTERS, (tag) => ofEntity('cashtags', { tag })],
  ['data.entities.mentions.0.username', OTHER_CHARACTERS, (username) => ofEntity('mentions', { username })],
  ['data.entities.urls.0.url', characters['url']!, (url) => ofEntity('urls', { url })],
  ['data.entities.urls.0.unwound_url', characters['url']!, (url) => ofEntity('urls', { unwound_url: url })],
  ['data.entities.urls.0.title', characters['url_title']!, (title) => ofEntity('urls', { title })],
  [
    'data.entities.urls.0.description',
    characters['url_description']!,
    (text) => ofEntity('urls', { description: text }),
  ],
  [
    'data.entities.annotations.0.normalized_text',
    OTHER_CHARACTERS,
    (text) => ofEntity('annotations', { normalized_text: text }),
  ],
  [
    'data.context_annotations.0.entity.name',
    OTHER_CHARACTERS,
    (name) => ofPost({ context_annotations: [{ entity: { name } }] }),
  ],
  ['includes.users.0.username', OTHER_CHARACTERS, (username) => ofUser({ username })],
  ['includes.users.0.description', characters['bio']!, (description) => ofUser({ description })],
  ['includes.users.0.name', OTHER_CHARACTERS, (name) => ofUser({ name })],
  ['includes.users.0.location', OTHER_CHARACTERS, (location) => ofUser({ location })],
  ['includes.places.0.full_name', OTHER_CHARACTERS, (name) => ofPlace({ full_name: name })],
  ['includes.places.0.country_code', OTHER_CHARACTERS, (code) => ofPlace({ country_code: code })],
];

const PAGE_LISTS: [string, number, Make][] = [
  ['diff.chunks', entries['chunks']!, (chunks) => ofPage({ diff: { chunks } })],
  ['added', entries['added']!, (added) => ofPage({ added })],
  ['removed_anchor', entries['removed_anchor']!, (texts) => ofPage({ removed_anchor: texts })],
  ['domain', OTHER_ENTRIES, (domain) => ofPage({ domain })],
  ['page_category', OTHER_ENTRIES, (list) => ofPage({ page_category: list })],
];

const POST_LISTS: [string, number, Make][] = [
  ...['urls', 'hashtags', 'cashtags', 'mentions', 'annotations'].map((kind): [string, number, Make] => [
    `data.entities.${kind}`,
    entries[kind]!,
    (list) => ofPost({ entities: { [kind]: list } }),
  ]),
  ...['users', 'tweets', 'posts', 'media', 'places'].map((kind): [string, number, Make] => [
    `includes.${kind}`,
    entries[kind]!,
    (list) => ofPost({}, { [kind]: list }),
  ]),
  ['data.context_annotations', entries['context_annotations']!, (list) => ofPost({ context_annotations: list })],
  ['data.referenced_tweets', OTHER_ENTRIES, (list) => ofPost({ referenced_tweets: list })],
  ['data.attachments.media_keys', OTHER_ENTRIES, (list) => ofPost({ attachments: { media_keys: list } })],
  ['includes.users.0.affiliation.user_id', OTHER_ENTRIES, (list) => ofUser({ affiliation: { user_id: list } })],
];

describe('an event within its limits is taken, and one beyond them is refused whole', () => {
  it.each(PAGE_VALUES)('page: %s of %i characters', (path, most, make) => {
    expect(rejection(page(make('a'.repeat(most))))).toBeUndefined();
    expect(rejection(page(make('a'.repeat(most + 1))))).toBe(
      `\`${path}\` has ${most + 1} characters, and ${most} are the most`,
    );
  });

  it.each(POST_VALUES)('post: %s of %i characters', (path, most, make) => {
    expect(rejection(post(make('a'.repeat(most))))).toBeUndefined();
    expect(rejection(post(make('a'.repeat(most + 1))))).toBe(
      `\`${path}\` has ${most + 1} characters, and ${most} are the most`,
    );
  });

  const list = (length: number) => Array.from({ length }, (_, index) => `a${index}`);

  it.each(PAGE_LISTS)('page: %s of %i entries', (path, most, make) => {
    expect(rejection(page(make(list(most))))).toBeUndefined();
    expect(rejection(page(make(list(most + 1))))).toBe(`\`${path}\` has ${most + 1} entries, and ${most} are the most`);
  });

  it.each(POST_LISTS)('post: %s of %i entries', (path, most, make) => {
    expect(rejection(post(make(list(most))))).toBeUndefined();
    expect(rejection(post(make(list(most + 1))))).toBe(`\`${path}\` has ${most + 1} entries, and ${most} are the most`);
  });
});

it('refuses a post whose text has too many tags, also where the payload does not list them', () => {
  const text = '#a '.repeat(entries['hashtags']! + 1);
  expect(rejection(post(ofPost({ text })))).toBe('`data.text.hashtags` has 2001 entries, and 2000 are the most');
});

it('refuses a post that quotes a long one with too many names beside its cut text', () => {
  const annotations = Array.from({ length: entries['annotations']! + 1 }, () => ({}));
  const quoted = { id: '7', text: 'cut', entities: { annotations }, note_tweet: { text: 'cut no more' } };
  const references = { referenced_tweets: [{ type: 'quoted', id: '7' }] };
  expect(rejection(post(ofPost(references, { tweets: [quoted] })))).toBe(
    '`includes.tweets.0.entities.annotations` has 2001 entries, and 2000 are the most',
  );
});

it('refuses an id with half a surrogate pair, which could never be asked for again', () => {
  expect(rejection(post(ofPost({ id: '1\ud800' })))).toBe(
    '`data.id` has half a surrogate pair, which UTF-8 cannot carry',
  );
  expect(rejection(page({ id: '\udc00' }))).toBe('`id` has half a surrogate pair, which UTF-8 cannot carry');
  expect(rejection(page({ url: 'https://example.com/\ud800' }))).toBeUndefined();
});

it('takes the next event after one that was refused', () => {
  page({ id: '1', title: 'a'.repeat(10_000) });
  expect(rejection(page({ id: '2', title: 'a' }))).toBeUndefined();
  post(ofPost({ lang: 'a'.repeat(100) }));
  expect(rejection(post(ofPost({ lang: 'en' })))).toBeUndefined();
});

it('has every limit in the documentation', () => {
  const docs = readFileSync(join(import.meta.dirname, '../../../docs/http-api.md'), 'utf8');
  const table = docs.slice(docs.indexOf('### Limits of an event'));
  const rows = [...table.matchAll(/^\| (.*) \| ([\d,]+) \|$/gm)];
  const documented = new Map(
    rows.flatMap(([, names, most]) =>
      [...names!.matchAll(/`([^`]+)`/g)].map(([, name]) => [name!, Number(most!.replaceAll(',', ''))] as const),
    ),
  );
  for (const [name, most] of Object.entries(characters)) expect([name, documented.get(name)]).toEqual([name, most]);
  for (const [name, most] of Object.entries(entries)) expect([name, documented.get(`${name}[]`)]).toEqual([name, most]);
  expect(table).toContain(`other value | ${OTHER_CHARACTERS.toLocaleString('en')} |`);
  expect(table).toContain(`other list | ${OTHER_ENTRIES} |`);
});
