/** Jetstream's archive as history: posts of Bluesky, as the source would have brought them. The position is a `seq`. */
import { z } from 'zod';
import type { Payload } from '../../domain/match.ts';
import type { PostGlance } from '../contract/post.ts';
import type { SourceHttp } from '../fetch/fetch-url.ts';
import { readArchive } from '../kinds/bluesky/archive.ts';
import type { ArchiveRow } from '../kinds/bluesky/archive-block.ts';
import { type ArchiveHost, seqAtTime } from '../kinds/bluesky/archive-client.ts';
import { glanceAt } from '../kinds/bluesky/glance.ts';
import { pageOfEvent, postIn, postOfEvent } from '../kinds/bluesky/post.ts';
import type { JetEvent } from '../kinds/bluesky/wire.ts';
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
