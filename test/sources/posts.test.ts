/** Posts of open networks in X's shape: what rules of X see of them, at which places, and what has no counterpart. */
import { beforeAll, describe, expect, it } from 'vitest';
import { isRejection } from '../../src/engine/events/event-view.ts';
import { xAnalyzer } from '../../src/engine/events/x-event.ts';
import { postOfEvent } from '../../src/sources/kinds/bluesky/post.ts';
import { postOfStatus, statusShape } from '../../src/sources/kinds/mastodon-post.ts';
import { loadLanguages } from '../../src/sources/text/language.ts';
import { BEGAN, posted } from './jetstream-server.ts';

beforeAll(loadLanguages);

const AUTHOR = 'did:plc:author0';
const blueskyPost = (record: object) => {
  const { commit, at } = posted(0, {}, record);
  return postOfEvent('bluesky', { did: AUTHOR, seq: 1, time: at, commit: commit as never, original: {} })!;
};

/** Every entity with an offset shows in the text what it says. */
function shown({ data }: { data: { text: string; [field: string]: unknown } }): string[] {
  const points = Array.from(data.text);
  const entities = data['entities'] as Record<string, { start?: number; end?: number }[]>;
  return Object.values(entities).flatMap((list) =>
    list.flatMap(({ start, end }) => (start === undefined ? [] : [points.slice(start, end).join('')])),
  );
}

const facet = (text: string, part: string, feature: object) => {
  const byteStart = Buffer.byteLength(text.slice(0, text.indexOf(part)));
  return { index: { byteStart, byteEnd: byteStart + Buffer.byteLength(part) }, features: [feature] };
};

describe('a post of Bluesky in the shape of X', () => {
  const text = 'Ash & 🌋 <b> over #Étna, says @ada.example: northline.example/a $NVDA';
  const post = () =>
    blueskyPost({
      text,
      facets: [
        facet(text, '#Étna', { $type: 'app.bsky.richtext.facet#tag', tag: 'Étna' }),
        facet(text, '@ada.example', { $type: 'app.bsky.richtext.facet#mention', did: 'did:plc:ada' }),
        facet(text, 'northline.example/a', {
          $type: 'app.bsky.richtext.facet#link',
          uri: 'https://northline.example/a',
        }),
        { index: { byteStart: 5, byteEnd: 99_999 }, features: [{ tag: 'beyond' }] },
        'nonsense',
      ],
      tags: ['volcano'],
      reply: {
        root: { uri: 'at://did:plc:root/app.bsky.feed.post/3lroot', cid: 'bafyroot' },
        parent: { uri: 'at://did:plc:ada/app.bsky.feed.post/3lparent', cid: 'bafyparent' },
      },
      embed: {
        $type: 'app.bsky.embed.recordWithMedia',
        record: { record: { uri: 'at://did:plc:quoted/app.bsky.feed.post/3lq', cid: 'bafyq' } },
        media: {
          images: [{ alt: 'A plume' }],
          external: { uri: 'https://northline.example/a', title: 'Northline', description: 'All ash' },
        },
      },
    });

  it('has its entities at their places, in code points of the escaped text', () => {
    expect(post().data.text).toBe('Ash &amp; 🌋 &lt;b&gt; over #Étna, says @ada.example: northline.example/a $NVDA');
    expect(shown(post())).toEqual(['#Étna', '@ada.example', '$NVDA', 'northline.example/a']);
  });

  it('is seen by the rules of X: text, tags, mentions, links, author, reply, quote and media', () => {
    const view = xAnalyzer()(post());
    if (isRejection(view)) throw new Error(view.rejected);
    const values = (field: string) => view.pieces.filter((piece) => piece.field === field).map((piece) => piece.text);
    expect(values('hashtag')).toEqual(expect.arrayContaining(['étna', 'volcano', 'beyond']));
    expect(values('mention')).toEqual(expect.arrayContaining(['ada.example', 'did:plc:ada']));
    expect(values('cashtag')).toEqual(['nvda']);
    expect(values('is')).toEqual(expect.arrayContaining(['quote', 'reply']));
    expect(values('has')).toEqual(
      expect.arrayContaining(['hashtags', 'mentions', 'cashtags', 'links', 'media', 'images']),
    );
    expect(values('lang')).toEqual(['en']);
    expect(values('from')).toEqual([AUTHOR]);
    expect(post().data).toMatchObject({
      id: `bluesky:${AUTHOR}/3l0/bafy0`,
      author_id: AUTHOR,
      created_at: new Date(BEGAN / 1_000).toISOString(),
      conversation_id: 'bluesky:did:plc:root/3lroot/bafyroot',
      in_reply_to_user_id: 'did:plc:ada',
      referenced_tweets: [
        { type: 'replied_to', id: 'bluesky:did:plc:ada/3lparent/bafyparent' },
        { type: 'quoted', id: 'bluesky:did:plc:quoted/3lq/bafyq' },
      ],
    });
    expect(post()).toMatchObject({ url: `https://bsky.app/profile/${AUTHOR}/post/3l0`, source: { name: 'bluesky' } });
  });

  it('is a post whatever else its author put into it', () => {
    const odd = { facets: 7, tags: [null, 1], reply: 'x', embed: [], langs: [{}], text: '\u{1F30B}\u202E "\\ \0' };
    const view = xAnalyzer()(blueskyPost(odd));
    expect(isRejection(view)).toBe(false);
  });
});

describe('a status of Mastodon in the shape of X', () => {
  const status = statusShape.parse({
    id: '112',
    url: 'https://social.example/@ada/112',
    content:
      '<p>Storm &amp; ash, <a href="https://social.example/tags/storm">#<span>Storm</span></a> by <span>@<a>usgs</a></span> <a href="https://a.example/b">https://a.example/b</a></p>',
    language: 'en',
    created_at: '2026-11-15T08:30:00.000Z',
    account: { id: '7', username: 'ada', acct: 'ada', display_name: 'Ada', note: '<p>Counts</p>', followers_count: 3 },
    tags: [{ name: 'storm' }],
    mentions: [{ id: '9', username: 'usgs', acct: 'usgs@gov.example' }],
    media_attachments: [{ type: 'image', description: 'Rain' }, { type: 'unknown' }],
    card: { url: 'https://a.example/b', title: 'Ash', description: '' },
    in_reply_to_id: '111',
    in_reply_to_account_id: '9',
    reblog: null,
  });

  it('has its author, entities, reply and media', () => {
    const post = postOfStatus('masto', 'https://social.example', status);
    expect(shown(post)).toEqual(['#Storm', '@usgs', 'https://a.example/b']);
    expect(post).toMatchObject({
      data: {
        id: 'masto:112',
        text: 'Storm &amp; ash, #Storm by @usgs https://a.example/b',
        lang: 'en',
        in_reply_to_user_id: '9',
        referenced_tweets: [{ type: 'replied_to', id: 'masto:111' }],
        entities: {
          hashtags: [{ tag: 'storm' }],
          mentions: [{ username: 'usgs@gov.example', id: '9' }],
          urls: [{ expanded_url: 'https://a.example/b', title: 'Ash' }],
        },
      },
      includes: {
        users: [
          { id: '7', username: 'ada', name: 'Ada', description: 'Counts', public_metrics: { followers_count: 3 } },
        ],
        media: [{ type: 'photo', alt_text: 'Rain' }],
      },
      url: 'https://social.example/@ada/112',
    });
    expect(isRejection(xAnalyzer()(post))).toBe(false);
  });
});
