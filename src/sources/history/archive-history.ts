/** Jetstream's archive as history: posts of Bluesky, as the source would have brought them. The position is a `seq`. */
import { z } from 'zod';
import { listIn } from '../../base/json.ts';
import type { Payload } from '../../domain/match.ts';
import { MAX_POST_TEXT, type PostGlance } from '../contract/post.ts';
import type { SourceHttp } from '../fetch/fetch-url.ts';
import { readArchive } from '../kinds/bluesky/archive.ts';
import type { ArchiveRow } from '../kinds/bluesky/archive-block.ts';
import { type ArchiveHost, seqAtTime } from '../kinds/bluesky/archive-client.ts';
import { idOfReference, pageOfEvent, postIn, postOfEvent } from '../kinds/bluesky/post.ts';
import { type RecordReference, type RichRecord, richIn } from '../kinds/bluesky/rich-record.ts';
import type { JetEvent } from '../kinds/bluesky/wire.ts';
import { declaredLanguage } from '../text/language.ts';
import type { HistoryArchive, HistoryEvent, HistoryOptions } from './history.ts';

const placeShape = z.object({ seq: z.number() });

/** `source`: the name under which the posts would have come. */
export const jetstreamHistory = (http: SourceHttp, host: ArchiveHost, source: string): HistoryArchive => ({
  async *read(span, { platforms, position, signal }) {
    const calls = { http, signal };
    const [from, to] = [span.from * 1_000, span.to * 1_000];
    const start = position === undefined ? await seqAtTime(calls, host, from) : undefined;
    if (position === undefined && start === undefined) return;
    const after = position === undefined ? start! - 1 : placeShape.parse(JSON.parse(position)).seq;
    for await (const { rows } of readArchive(calls, host, after)) {
      if (signal.aborted) return;
      const last = rows.at(-1)!;
      yield {
        events: rows
          .filter(({ time }) => time >= from && time <= to)
          .flatMap((row) => eventsOfRow(row, source, platforms)),
        unreadable: 0,
        position: JSON.stringify({ seq: last.seq }),
        progress: Math.max(0, Math.min(1, (last.time - from) / (to - from))),
      };
      if (last.time > to) return;
    }
  },
});

export function eventsOfRow(
  { event, time }: ArchiveRow,
  source: string,
  platforms: HistoryOptions['platforms'],
): HistoryEvent[] {
  if (event === undefined || postIn(event) === undefined) return [];
  const events: HistoryEvent[] = [];
  if (platforms.includes('x')) events.push(new ArchivedPost(event, source));
  const page = platforms.includes('firehose') ? pageOfEvent(source, event) : undefined;
  if (page !== undefined) events.push({ platform: 'firehose', payload: page, at: time / 1_000, source });
  return events;
}

/** Its payload is made when it is asked for. */
class ArchivedPost implements HistoryEvent {
  readonly platform = 'x';
  readonly source: string;
  readonly at: number;
  readonly glance: PostGlance | undefined;
  readonly #event: JetEvent;
  #payload: Payload | undefined;

  constructor(event: JetEvent, source: string) {
    this.source = source;
    this.at = event.time / 1_000;
    this.glance = glanceAt(event);
    this.#event = event;
  }

  get payload(): Payload {
    this.#payload ??= postOfEvent(this.source, this.#event)!;
    return this.#payload;
  }
}

/** Nothing of this length is refused by an analyzer, whatever folding makes of it. An id has other parts beside the author's. */
const SHORT = 300;
const SHORT_DID = 100;
const FEW_IMAGES = 60;

const NONE: readonly string[] = [];
const REPLY: readonly string[] = ['reply'];

/** Returns undefined when it is no post, or when a part of it is so long that an analyzer may refuse it. */
function glanceAt(event: JetEvent): PostGlance | undefined {
  const post = postIn(event);
  if (post === undefined || event.did.length > SHORT_DID) return undefined;
  const { record } = post;
  if (record.text.length > MAX_POST_TEXT) return undefined;
  const rich = richIn(record);
  if (rich !== undefined && !isShort(rich)) return undefined;
  const language = declaredLanguage(listIn(record['langs'])[0]);
  const isPlain = rich === undefined || (rich.embed === undefined && rich.facets.length + rich.tags.length === 0);
  if (isPlain) {
    const is = rich?.reply === undefined ? NONE : REPLY;
    return { texts: [record.text], language, is, has: record.text.includes('$') ? undefined : NONE };
  }
  const quoted = rich.embed?.record;
  const isQuote = quoted !== undefined && idOfReference(quoted) !== undefined;
  const is = [...(rich.reply === undefined ? NONE : REPLY), ...(isQuote ? ['quote'] : NONE)];
  return { texts: [record.text, ...addressesIn(rich)], language, is, has: undefined };
}

const addressesIn = ({ facets, embed }: RichRecord): string[] =>
  [
    ...facets.flatMap(({ features }) => features.map(({ uri }) => uri)),
    embed?.external?.uri,
    embed?.media?.external?.uri,
  ].filter((uri) => uri !== undefined);

const isShortReference = (one: RecordReference | undefined): boolean =>
  one === undefined || one.uri.length + one.cid.length <= SHORT;

function isShort({ facets, tags, reply, embed }: RichRecord): boolean {
  if (!isShortReference(reply?.root) || !isShortReference(reply?.parent) || !isShortReference(embed?.record))
    return false;
  if (embed === undefined && facets.length === 0 && tags.length === 0) return true;
  const images = (embed?.images.length ?? 0) + (embed?.media?.images.length ?? 0);
  const features = facets.flatMap((facet) => facet.features);
  const texts = [
    ...features.flatMap(({ uri, did, tag }) => [uri, did, tag]),
    ...tags,
    embed?.external?.uri,
    embed?.media?.external?.uri,
  ];
  return (
    images <= FEW_IMAGES &&
    facets.every(({ byteStart, byteEnd }) => byteEnd - byteStart <= SHORT) &&
    texts.every((text) => text === undefined || text.length <= SHORT)
  );
}
