/** Jetstream's archive as history: posts of Bluesky, as the source would have brought them. The position is a `seq`. */
import { z } from 'zod';
import type { SourceHttp } from '../fetch/fetch-url.ts';
import { readArchive } from '../kinds/bluesky/archive.ts';
import type { ArchiveRow } from '../kinds/bluesky/archive-block.ts';
import { type ArchiveHost, seqAtTime } from '../kinds/bluesky/archive-client.ts';
import { pageOfEvent } from '../kinds/bluesky/post.ts';
import { postOfEvent } from '../kinds/bluesky/x-post.ts';
import type { HistoryArchive, HistoryEvent, HistoryOptions, HistorySpan } from './history.ts';

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
        events: rows.flatMap((row) => eventsOf(row, source, { from, to }, platforms)),
        unreadable: 0,
        position: JSON.stringify({ seq: last.seq }),
        progress: Math.max(0, Math.min(1, (last.time - from) / (to - from))),
      };
      if (last.time > to) return;
    }
  },
});

function eventsOf(
  { event, time }: ArchiveRow,
  source: string,
  { from, to }: HistorySpan,
  platforms: HistoryOptions['platforms'],
): HistoryEvent[] {
  if (event === undefined || time < from || time > to) return [];
  const at = time / 1_000;
  const page = platforms.includes('firehose') ? pageOfEvent(source, event) : undefined;
  const post = platforms.includes('x') ? postOfEvent(source, event) : undefined;
  return [
    ...(post === undefined ? [] : [{ platform: 'x' as const, payload: post, at, source }]),
    ...(page === undefined ? [] : [{ platform: 'firehose' as const, payload: page, at, source }]),
  ];
}
