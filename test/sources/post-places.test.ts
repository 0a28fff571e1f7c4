/**
 * Posts of open networks in X's shape, put together from parts whose text and place are known: each tag, mention and link is
 * where it stands, in code points of the escaped text.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import type { Post } from '../../src/sources/contract/post.ts';
import { postOfEvent } from '../../src/sources/kinds/bluesky/post.ts';
import { forumPostOf } from '../../src/sources/kinds/forum-post.ts';
import { postOfStatus, statusShape } from '../../src/sources/kinds/mastodon-post.ts';
import { loadLanguages } from '../../src/sources/text/language.ts';
import { posted } from './jetstream-server.ts';

beforeAll(loadLanguages);

/** A part of a post: what readers see, and what it is. */
interface Part {
  readonly shown: string;
  readonly is?: 'tag' | 'mention' | 'link';
  /** The address, where it is not what is shown. */
  readonly url?: string;
}

const WORDS: readonly Part[] = ['Ash', 'R&D <b>', '🌋🌋', 'İstanbul İ', 'Étna'].map((shown) => ({ shown }));
const TAGS: readonly (readonly Part[])[] = [['#gold', '#go'], ['#go', '#gold'], ['#Étna'], ['#a_b', '#a']].map((tags) =>
  tags.map((shown) => ({ shown, is: 'tag' })),
);
const MENTIONS: readonly (readonly Part[])[] = [['@adam', '@ada'], ['@ada']].map((names) =>
  names.map((shown) => ({ shown, is: 'mention' })),
);
/** Each with what follows it, which is not part of it. */
const LINKS: readonly (readonly [Part, string])[] = [
  [{ shown: 'https://example.org/a', is: 'link' }, '.'],
  [{ shown: 'https://example.org/b_(c)', is: 'link' }, ')'],
  [{ shown: 'https://example.org/d?e=f&g=h', is: 'link' }, '!'],
];

interface Shape {
  readonly parts: readonly Part[];
  readonly ends: readonly string[];
}

/** Every word before every pair of tags, mentions and links, and the link with a bracket around it where it ends with one. */
const shapes = (mentions: readonly (readonly Part[])[], links: typeof LINKS): Shape[] =>
  WORDS.flatMap((word) =>
    TAGS.flatMap((tags) =>
      mentions.flatMap((names) =>
        links.map(([link, end]) => {
          const parts = [word, ...tags, ...names, { shown: end === ')' ? '(see' : 'see' }, link, { shown: 'end' }];
          return { parts, ends: parts.map((part) => (part === link ? end : '')) };
        }),
      ),
    ),
  );

const textOf = ({ parts, ends }: Shape): string => parts.map(({ shown }, at) => `${shown}${ends[at]}`).join(' ');
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const lengthOf = (text: string): number => Array.from(escaped(text)).length;

interface Entity {
  readonly is: string;
  readonly start: number;
  readonly end: number;
  readonly name: string;
}

/** The place of each part, by adding up what stands before it. */
function expectedOf({ parts, ends }: Shape): Entity[] {
  let at = 0;
  return parts.flatMap(({ shown, is, url = shown }, index) => {
    const start = at;
    at += lengthOf(shown) + lengthOf(ends[index]!) + 1;
    if (is === undefined) return [];
    return [{ is, start, end: start + lengthOf(shown), name: is === 'link' ? url : shown.slice(1).toLowerCase() }];
  });
}

function entitiesOf({ data }: Post): Entity[] {
  type Listed = Record<string, { start: number; end: number; [field: string]: unknown }[] | undefined>;
  const { hashtags = [], mentions = [], urls = [] } = data['entities'] as Listed;
  const of = (is: string, list: typeof urls, field: string) =>
    list.map(({ start, end, ...rest }) => ({ is, start, end, name: String(rest[field]) }));
  const all = [
    ...of('tag', hashtags, 'tag').map((one) => ({ ...one, name: one.name.toLowerCase() })),
    ...of('mention', mentions, 'username'),
    ...of('link', urls, 'expanded_url'),
  ];
  return all.toSorted((one, other) => one.start - other.start);
}

const namesIn = ({ parts }: Shape, is: Part['is']): string[] =>
  parts.filter((part) => part.is === is).map(({ shown }) => shown.slice(1));

/** Mastodon's own markup, with the link's address hidden in its text or not. */
function mastodonOf(shape: Shape): Post {
  const html = shape.parts.map(({ shown, is, url = shown }, at) => {
    const inner =
      is === 'tag' || is === 'mention' ? `${shown[0]}<span>${escaped(shown.slice(1))}</span>` : escaped(shown);
    const href = is === 'link' ? url : `https://social.example/${shown.slice(1)}`;
    return `${is === undefined ? inner : `<a class="x" href="${escaped(href)}">${inner}</a>`}${ends(shape, at)}`;
  });
  const status = statusShape.parse({
    id: '1',
    content: `<p>${html.join(' ')}</p>`,
    created_at: '2026-11-15T08:30:00.000Z',
    // Not in the order of the text.
    tags: namesIn(shape, 'tag')
      .toReversed()
      .map((name) => ({ name: name.toLowerCase() })),
    mentions: namesIn(shape, 'mention')
      .toReversed()
      .map((name) => ({ id: name, username: name, acct: name })),
  });
  return postOfStatus('masto', 'https://social.example', status);
}
const ends = (shape: Shape, at: number): string => escaped(shape.ends[at]!);

function lemmyOf(shape: Shape): Post {
  const entry = { id: '1', link: 'https://lemmy.example/1', title: '', content: textOf(shape), summary: '' };
  const none = { published: undefined, updated: undefined, language: undefined };
  const version = { address: '', feed: {} as never, id: '1', change: { added: '' }, isNew: true };
  return forumPostOf('lemmy', { ...version, entry: { ...entry, ...none } }, { url: entry.link, author: { id: 'ada' } });
}

function blueskyOf(shape: Shape): Post {
  let at = 0;
  const facets = shape.parts.flatMap(({ shown, is, url = shown }, index) => {
    const byteStart = at;
    at += Buffer.byteLength(`${shown}${shape.ends[index]} `);
    const features = {
      tag: { tag: shown.slice(1) },
      mention: { did: `did:plc:${shown.slice(1)}` },
      link: { uri: url },
    };
    const facet = { index: { byteStart, byteEnd: byteStart + Buffer.byteLength(shown) } };
    return is === undefined ? [] : [{ ...facet, features: [features[is]] }];
  });
  const { commit, at: time } = posted(0, {}, { text: textOf(shape), facets });
  return postOfEvent('bluesky', { did: 'did:plc:a', seq: 1, time, commit: commit as never, original: {} })!;
}

const OTHER_TEXTS: typeof LINKS = [
  [{ shown: 'click here', is: 'link', url: 'https://example.org/real' }, '.'],
  [{ shown: 'example.org/…', is: 'link', url: 'https://example.org/long?a=b&c=d' }, ')'],
];

describe.each<[string, (shape: Shape) => Post, readonly Shape[]]>([
  ['mastodon', mastodonOf, shapes(MENTIONS, [...LINKS, ...OTHER_TEXTS])],
  ['bluesky', blueskyOf, shapes(MENTIONS, [...LINKS, ...OTHER_TEXTS])],
  // Lemmy has no mentions of its own, and its text is what is written.
  ['lemmy', lemmyOf, shapes([[], [{ shown: 'and so' }]], LINKS)],
])('places of %s', (_, postOf, all) => {
  it('are where the parts stand', () => {
    expect(all.length).toBeGreaterThanOrEqual(100);
    for (const shape of all) {
      const post = postOf(shape);
      expect(post.data.text).toBe(escaped(textOf(shape)));
      expect(entitiesOf(post), textOf(shape)).toEqual(expectedOf(shape));
    }
  });
});

it('what is not linked is found as a word of its own', () => {
  const status = statusShape.parse({
    id: '1',
    content: '<p>İ #gold @adam</p><p>#GO, @ada (https://example.org/a).</p>',
    created_at: '2026-11-15T08:30:00.000Z',
    tags: [{ name: 'go' }, { name: 'gold' }],
    mentions: [{ id: '1', username: 'ada', acct: 'ada@a.example' }],
  });
  const { data } = postOfStatus('masto', 'https://social.example', status);
  const points = Array.from(data.text);
  const shown = Object.values(data['entities'] as Record<string, { start: number; end: number }[]>).flatMap((list) =>
    list.map(({ start, end }) => points.slice(start, end).join('')),
  );
  expect(shown).toEqual(['#GO', '#gold', '@ada', 'https://example.org/a']);
});
