/** A post of Bluesky in X's shape. Facets count bytes of UTF-8; authors are known by their DIDs alone. */
import { listIn } from '../../../base/json-fields.ts';
import { type LinkDraft, type Place, type Post, type PostDraft, xPostOf } from '../../contract/post.ts';
import { addressOfPost, postId, postIn, publishedAt } from './post.ts';
import { type Card, type Facet, type RecordReference, type RichRecord, richIn } from './rich-record.ts';
import type { JetEvent } from './wire.ts';

export function postOfEvent(source: string, event: JetEvent): Post | undefined {
  const { did, time } = event;
  const commit = postIn(event);
  if (commit === undefined) return undefined;
  const { record, rkey } = commit;
  const rich = richIn(record);
  return xPostOf({
    source,
    id: postId(event)!,
    url: addressOfPost(did, rkey),
    text: record.text,
    author: { id: did },
    language: listIn(record['langs'])[0],
    createdAt: publishedAt(record['createdAt'], new Date(time / 1_000)),
    ...(rich && partsOf(record.text, rich)),
  });
}

function partsOf(text: string, rich: RichRecord): Partial<PostDraft> {
  const { reply, embed } = rich;
  const shown = embed?.media === undefined ? (embed ? [embed] : []) : [embed, embed.media];
  return {
    ...entitiesOf(
      text,
      rich,
      shown.flatMap((one) => one.external ?? []),
    ),
    media: shown.flatMap((one) => [
      ...one.images.map(({ alt }) => ({ type: 'photo' as const, alt })),
      ...(one.hasVideo ? [{ type: 'video' as const, alt: one.alt }] : []),
    ]),
    repliesTo: reply && { id: idOfReference(reply.parent) ?? reply.parent.uri, authorId: authorOf(reply.parent.uri) },
    conversation: reply && idOfReference(reply.root),
    quotes: embed?.record && idOfReference(embed.record),
  };
}

function entitiesOf(text: string, { facets, tags }: RichRecord, cards: readonly Card[]): Partial<PostDraft> {
  if (facets.length === 0 && tags.length === 0 && cards.length === 0) return NO_ENTITIES;
  const places = byteplaces(text, facets);
  const features = facets.flatMap((facet, at) => facet.features.map((feature) => ({ ...feature, at: places[at] })));
  const links = features.flatMap(({ uri, at }): LinkDraft[] => (uri === undefined ? [] : [{ url: uri, at }]));
  const unlinked = cards.filter((card) => links.every(({ url }) => url !== card.uri));
  const cardOf = (url: string) => cards.find(({ uri }) => uri === url);
  return {
    hashtags: [
      ...features.flatMap(({ tag, at }) => (tag === undefined ? [] : [{ tag, at }])),
      ...tags.map((tag) => ({ tag })),
    ],
    mentions: features.flatMap(({ did, at }) =>
      did === undefined ? [] : [{ id: did, username: at && text.slice(at.start + 1, at.end), at }],
    ),
    links: [
      ...links.map((link) => ({ ...link, title: cardOf(link.url)?.title, description: cardOf(link.url)?.description })),
      ...unlinked.map(({ uri, title, description }) => ({ url: uri, title, description })),
    ],
  };
}

const NO_ENTITIES: Partial<PostDraft> = {};

/** The places of byte spans, in UTF-16 units; undefined for one that is not in the text. */
function byteplaces(text: string, spans: readonly Facet[]): (Place | undefined)[] {
  if (spans.length === 0) return [];
  const bytes = Buffer.from(text);
  return spans.map(({ byteStart, byteEnd }) => {
    if (byteEnd > bytes.length || byteStart >= byteEnd) return undefined;
    const start = bytes.toString('utf8', 0, byteStart).length;
    return { start, end: start + bytes.toString('utf8', byteStart, byteEnd).length };
  });
}

const REFERENCE = /^at:\/\/(did:[^/]+)\/app\.bsky\.feed\.post\/([^/]+)$/;

const authorOf = (uri: string): string | undefined => REFERENCE.exec(uri)?.[1];

/** As the post itself has it, when it comes; undefined for what is no post, such as a list. */
export function idOfReference({ uri, cid }: RecordReference): string | undefined {
  const [, did, rkey] = REFERENCE.exec(uri) ?? [];
  return did === undefined ? undefined : `${did}/${rkey}/${cid}`;
}
