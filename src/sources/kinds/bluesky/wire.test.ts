/** The readers of frames and records are written by hand. They take exactly what these schemas take. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { richIn } from './rich-record.ts';
import { readFrame } from './wire.ts';

const text = z.string();
const counter = z.number().int().positive();
const record = z.looseObject({ text });
const commit = z.object({
  operation: text,
  collection: text,
  rkey: text,
  rev: text.optional(),
  cid: text.optional(),
  record: record.optional().catch(undefined),
});
const account = z.object({ status: text.optional() });
const message = text.default('');
const info = z.object({ $type: text.endsWith('#info'), name: text, message });
const error = z.object({ $type: z.literal('error'), error: text, message });
const time = text.refine((value) => !Number.isNaN(Date.parse(value)));
const payload = z.looseObject({ $type: text, seq: counter, did: text, time });
const old = z.looseObject({
  did: text,
  time_us: counter,
  cursor: counter.optional().catch(undefined),
  kind: text,
  commit: commit.optional().catch(undefined),
  account: account.optional().catch(undefined),
});

/** Reads a frame by the schemas. */
function frameBySchemas(frame: unknown): unknown {
  const { $type, payload: inner } = Object(frame);
  if ($type === 'message') return payloadBySchemas(inner);
  const failed = error.safeParse(frame).data;
  if (failed !== undefined) return { is: 'error', name: failed.error, message: failed.message };
  const event = old.safeParse(frame).data;
  if (event === undefined || (event.kind === 'commit' && event.commit === undefined)) return undefined;
  return { did: event.did, seq: event.cursor, commit: event.commit, account: event.account };
}

function payloadBySchemas(inner: unknown): unknown {
  const notice = info.safeParse(inner).data;
  if (notice !== undefined) return { is: 'info', name: notice.name, message: notice.message };
  const event = payload.safeParse(inner).data;
  if (event === undefined) return undefined;
  const { did, seq, $type } = event;
  const held = $type.endsWith('#commit') ? commit.safeParse(event).data : undefined;
  if ($type.endsWith('#commit') && held === undefined) return undefined;
  const status = $type.endsWith('#account') ? account.safeParse(event['account']).data : undefined;
  return { did, seq, commit: held, account: status };
}

function frameByHand(frame: unknown): unknown {
  const read = readFrame(JSON.stringify(frame));
  if (read?.is !== 'event') return read;
  const { did, seq, commit: held, account: status } = read.event;
  return { did, seq, commit: held, account: status };
}

const post = { $type: 'app.bsky.feed.post', text: 'Etna', createdAt: '2026-07-01T00:00:00Z', langs: ['en'] };
const committed = {
  operation: 'create',
  collection: 'app.bsky.feed.post',
  rkey: 'k',
  rev: 'r',
  cid: 'c',
  record: post,
};
const head = { seq: 7, did: 'did:plc:a', time: '2026-07-01T00:00:00.000123Z' };
const FRAMES = [
  { $type: 'message', payload: { $type: 'x#commit', ...head, ...committed } },
  { $type: 'message', payload: { $type: 'x#account', ...head, account: { active: false, status: 'deleted' } } },
  { $type: 'message', payload: { $type: 'x#info', name: 'OutdatedCursor', message: 'It is old.' } },
  { $type: 'message', payload: { $type: 'x#identity', ...head } },
  { $type: 'error', error: 'FutureCursor', message: 'It is not yet.' },
  { did: 'did:plc:a', time_us: 12, cursor: 3, kind: 'commit', commit: committed },
  { did: 'did:plc:a', time_us: 12, kind: 'account', account: { status: 'deleted' } },
];

const reference = z.object({ uri: text, cid: text });
const list = <T extends z.ZodType>(shape: T) =>
  z
    .array(shape.nullable().catch(null))
    .catch([])
    .transform((all) => all.filter((one) => one !== null));
const maybe = <T extends z.ZodType>(shape: T) => shape.optional().catch(undefined);
const offset = z.int().min(0);
const shown = z.object({
  images: list(z.object({ alt: text.optional() })),
  video: z.unknown().optional(),
  alt: maybe(text),
  external: maybe(z.object({ uri: text, title: text.optional(), description: text.optional() })),
});
const rich = z.object({
  facets: list(
    z.object({
      index: z.object({ byteStart: offset, byteEnd: offset }),
      features: list(z.object({ uri: maybe(text), did: maybe(text), tag: maybe(text) })),
    }),
  ),
  tags: list(text),
  reply: maybe(z.object({ root: reference, parent: reference })),
  embed: maybe(
    shown.extend({
      record: maybe(z.union([reference, z.object({ record: reference }).transform((one) => one.record)])),
      media: maybe(shown),
    }),
  ),
});

type Shown = z.output<typeof shown>;
const shownOf = ({ video, alt, external, images }: Shown) => ({ images, alt, external, hasVideo: video !== undefined });

function richBySchema(given: unknown): unknown {
  const { facets, embed, ...rest } = rich.parse(given);
  return {
    ...rest,
    facets: facets.map(({ index, features }) => ({ ...index, features })),
    embed: embed && { ...shownOf(embed), record: embed.record, media: embed.media && shownOf(embed.media) },
  };
}

const named = { uri: 'at://did:plc:a/app.bsky.feed.post/k', cid: 'c' };
const pictured = {
  images: [{ alt: 'A plume' }, {}],
  video: {},
  alt: 'Ash',
  external: { uri: 'https://northline.example', title: 'Northline', description: 'All ash' },
};
const RICH = {
  text: '#Etna',
  facets: [
    { index: { byteStart: 0, byteEnd: 5 }, features: [{ tag: 'Etna' }, { uri: 'https://a.example', did: 'd' }] },
  ],
  tags: ['volcano', 'ash'],
  reply: { root: named, parent: named },
  embed: { ...pictured, record: { record: named }, media: pictured },
};

/** Some value in a frame is another one, or missing. */
const changed = (given: object) =>
  fc
    .tuple(fc.nat({ max: 40 }), fc.oneof(fc.constant(undefined), fc.constant(null), fc.constant('-1'), fc.jsonValue()))
    .map(([at, value]): object => {
      let place = 0;
      const copy = (part: unknown): unknown => {
        if (place++ === at) return value;
        if (Array.isArray(part)) return part.map(copy);
        if (typeof part !== 'object' || part === null) return part;
        return Object.fromEntries(Object.entries(part).map(([key, inner]) => [key, copy(inner)]));
      };
      return Object(JSON.parse(JSON.stringify(copy(given) ?? {})));
    });

describe('the readers of Bluesky', () => {
  it.each(FRAMES)('take a frame that the schemas take, and no other: $payload.$type $kind $error', (frame) => {
    expect(frameByHand(frame)).toBeDefined();
    fc.assert(
      fc.property(changed(frame), (one) => {
        expect(frameByHand(one)).toEqual(frameBySchemas(one));
      }),
      { numRuns: 300 },
    );
  });

  it('take of a record what the schema takes, and no more', () => {
    expect(richIn(RICH)).toEqual(richBySchema(RICH));
    fc.assert(
      fc.property(changed(RICH), (one) => {
        const { facets, tags, reply, embed } = one as Record<string, unknown>;
        const isRich = [facets, tags, reply, embed].some((part) => part !== undefined);
        expect(richIn(one as never)).toEqual(isRich ? richBySchema(one) : undefined);
      }),
      { numRuns: 1_000 },
    );
  });

  it('find nothing in a record that is a text and no more', () => {
    expect(richIn(post)).toBeUndefined();
  });
});
