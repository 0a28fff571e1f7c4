/** Posts of the corpus as Bluesky's archive would have them: packed blocks of records with facets, replies, quotes and images. */
import { eventsOfRow } from '../../src/sources/history/archive-history.ts';
import type { HistoryArchive, HistoryEvent } from '../../src/sources/history/history.ts';
import { rowsOfBlock, unpackBlock } from '../../src/sources/kinds/bluesky/archive-block.ts';
import { POSTS } from '../../src/sources/kinds/bluesky/wire.ts';
import { type ArchivedRow, packedBlock } from '../sources/archive-server.ts';

export const ARCHIVE_BEGAN = Date.parse('2026-11-01T00:00:00Z');
const BLOCK = 2_000;

interface CorpusPost {
  readonly text: string;
  readonly lang?: string;
  readonly entities?: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;
  readonly referenced_tweets?: readonly { readonly type: string }[];
}

const REFERENCE = { uri: `at://did:plc:abcdefghijklmnopqrstuvwx/${POSTS}/3laaaaaaaaa2b`, cid: 'bafyreia' };
const IMAGE = { alt: 'A storm', image: { $type: 'blob', ref: { $link: 'bafkqaaa' }, mimeType: 'image/jpeg', size: 9 } };

/** Offsets of the corpus count code points, those of a facet bytes. */
function facetsOf({ text, entities = {} }: CorpusPost): object[] {
  const points = Array.from(text);
  const bytesTo = (point: unknown) => Buffer.byteLength(points.slice(0, Number(point)).join(''));
  const of = (kind: string, feature: (one: Readonly<Record<string, unknown>>) => object) =>
    (entities[kind] ?? []).map((one) => ({
      index: { byteStart: bytesTo(one['start']), byteEnd: bytesTo(one['end']) },
      features: [feature(one)],
    }));
  return [
    ...of('hashtags', ({ tag }) => ({ tag })),
    ...of('mentions', ({ username }) => ({ did: `did:web:${String(username)}` })),
    ...of('urls', ({ url, expanded_url }) => ({ uri: expanded_url ?? url })),
  ];
}

function recordOf(post: CorpusPost, at: number): object {
  const facets = facetsOf(post);
  const refers = (type: string) => post.referenced_tweets?.some((one) => one.type === type) === true;
  return {
    $type: POSTS,
    text: post.text,
    createdAt: new Date(ARCHIVE_BEGAN + at).toISOString(),
    // Some declare no language, which is then found in the text.
    ...(at % 10 !== 0 && post.lang !== undefined && { langs: [post.lang] }),
    ...(facets.length > 0 && { facets }),
    ...((refers('replied_to') || at % 5 === 0) && { reply: { root: REFERENCE, parent: REFERENCE } }),
    ...(refers('quoted') ? { embed: { record: REFERENCE } } : at % 7 === 0 && { embed: { images: [IMAGE] } }),
  };
}

/** Its posts, one a millisecond. */
export async function archiveOfCorpus(posts: readonly { readonly data: unknown }[]) {
  const blocks: Buffer[] = [];
  for (let from = 0; from < posts.length; from += BLOCK)
    blocks.push(
      packedBlock(posts.slice(from, from + BLOCK).map(({ data }, at) => rowOf(data as CorpusPost, from + at))),
    );
  async function* events(): AsyncIterable<HistoryEvent[]> {
    for (const block of blocks)
      yield Array.from(rowsOfBlock(await unpackBlock(block), POSTS)).flatMap((row) =>
        eventsOfRow(row, 'bluesky', ['x']),
      );
  }
  const archive: HistoryArchive = {
    async *read(_, { position }) {
      let number = 0;
      for await (const some of events()) {
        number++;
        if (number > Number(position ?? 0))
          yield { events: some, unreadable: 0, position: String(number), progress: undefined };
      }
    },
  };
  return { archive, events };
}

const rowOf = (post: CorpusPost, at: number): ArchivedRow => ({
  seq: at + 1,
  time: (ARCHIVE_BEGAN + at) * 1_000,
  kind: 1,
  did: `did:plc:${String(at % 5_000).padStart(24, 'a')}`,
  collection: POSTS,
  rkey: `3l${String(at).padStart(11, '2')}`,
  rev: '3m5aaaaaaaa2b',
  event: recordOf(post, at),
});
