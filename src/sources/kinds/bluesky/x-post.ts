/** A post of Bluesky in X's shape. Facets count bytes of UTF-8; authors are known by their DIDs alone. */
import { z } from 'zod';
import { type LinkDraft, type Place, type Post, xPostOf } from '../../contract/post.ts';
import { addressOfPost, postId, publishedAt } from './post.ts';
import { type JetEvent, POSTS } from './wire.ts';

const list = <T extends z.ZodType>(shape: T) =>
  z
    .array(shape.nullable().catch(null))
    .catch([])
    .transform((all) => all.filter((one) => one !== null));
const reference = z.object({ uri: z.string(), cid: z.string() });
const external = z.object({ uri: z.string(), title: z.string().optional(), description: z.string().optional() });
const embedShape = z.looseObject({
  images: list(z.object({ alt: z.string().optional() })).optional(),
  video: z.unknown().optional(),
  alt: z.string().optional().catch(undefined),
  external: external.optional().catch(undefined),
});
const richShape = z.object({
  facets: list(
    z.object({
      index: z.object({ byteStart: z.int().min(0), byteEnd: z.int().min(0) }),
      features: list(
        z.object({
          uri: z.string().optional().catch(undefined),
          did: z.string().optional().catch(undefined),
          tag: z.string().optional().catch(undefined),
        }),
      ),
    }),
  ).optional(),
  tags: list(z.string()).optional(),
  reply: z.object({ root: reference, parent: reference }).optional().catch(undefined),
  embed: embedShape
    .extend({
      record: z
        .union([reference, z.object({ record: reference }).transform((one) => one.record)])
        .optional()
        .catch(undefined),
      media: embedShape.optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
});
type Rich = z.output<typeof richShape>;

export function postOfEvent(source: string, event: JetEvent): Post | undefined {
  const { did, commit, time } = event;
  if (commit?.collection !== POSTS || commit.record === undefined || commit.operation === 'delete') return undefined;
  const { record, rkey } = commit;
  const rich = isRich(record) ? (richShape.safeParse(record).data ?? {}) : {};
  const { reply, embed } = rich;
  const shown = [embed, embed?.media].filter((one) => one !== undefined);
  return xPostOf({
    source,
    id: postId(event)!,
    url: addressOfPost(did, rkey),
    text: record.text,
    author: { id: did },
    language: record.langs?.[0],
    createdAt: publishedAt(record.createdAt, new Date(time / 1_000)),
    ...entitiesOf(
      record.text,
      rich,
      shown.flatMap((one) => one.external ?? []),
    ),
    media: shown.flatMap((one) => [
      ...(one.images ?? []).map(({ alt }) => ({ type: 'photo' as const, alt })),
      ...(one.video === undefined ? [] : [{ type: 'video' as const, alt: one.alt }]),
    ]),
    repliesTo: reply && { id: idOfReference(reply.parent) ?? reply.parent.uri, authorId: authorOf(reply.parent.uri) },
    conversation: reply && idOfReference(reply.root),
    quotes: embed?.record && idOfReference(embed.record),
  });
}

/** Most posts are a text and no more: the shape of the rest takes longest to check. */
const isRich = (record: object): boolean =>
  'facets' in record || 'tags' in record || 'reply' in record || 'embed' in record;

function entitiesOf(text: string, { facets = [], tags = [] }: Rich, cards: readonly z.output<typeof external>[]) {
  const places = byteplaces(
    text,
    facets.map(({ index }) => index),
  );
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

/** The places of byte spans, in UTF-16 units; undefined for one that is not in the text. */
function byteplaces(
  text: string,
  spans: readonly { readonly byteStart: number; readonly byteEnd: number }[],
): (Place | undefined)[] {
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
function idOfReference({ uri, cid }: z.output<typeof reference>): string | undefined {
  const [, did, rkey] = REFERENCE.exec(uri) ?? [];
  return did === undefined ? undefined : `${did}/${rkey}/${cid}`;
}
