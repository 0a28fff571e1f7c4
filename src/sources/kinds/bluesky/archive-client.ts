/** The calls of Jetstream's archive: plans, lists of segments, blocks, and pieces of segments. */
import { z } from 'zod';
import type { SourceHttp } from '../../fetch/fetch-url.ts';
import { hostOf, RefusedError, SourceError } from '../../fetch/source-error.ts';
import { jsonOf } from '../../text/read-items.ts';
import { POSTS } from './wire.ts';

export interface ArchiveHost {
  /** The address of a host, as for its stream. */
  readonly url: string;
  /** Bluesky's hosts ask for one. */
  readonly key?: string | undefined;
  readonly dids?: readonly string[];
}

export interface ArchiveCalls {
  readonly http: SourceHttp;
  readonly signal: AbortSignal;
}

/** The key is not accepted. */
export class ArchiveRefusedError extends SourceError {}

/** The planned blocks are no longer there as they were: compaction has rewritten them. Plan again. */
export class ArchiveChangedError extends SourceError {}

const PATH = '/xrpc/network.bsky.jetstream.';
export const MAX_ARCHIVE_FRAME = 64 * 1024 * 1024;
const MAX_PLAN = 16 * 1024 * 1024;

const planShape = z.object({
  plannedThroughSeq: z.int().min(0),
  sealedTipSeq: z.int().min(0),
  segments: z.array(
    z.object({
      name: z.string(),
      checksum: z.union([z.string(), z.number()]).transform(String),
      mode: z.string(),
      blocks: z.array(z.object({ first: z.int().min(0), last: z.int().min(0) })).default([]),
    }),
  ),
});
export type ArchivePlan = z.output<typeof planShape>;
export type PlannedSegment = ArchivePlan['segments'][number];

const listShape = z.object({
  cursor: z.string().optional(),
  segments: z.array(z.object({ minSeq: z.int(), minWitnessedAt: z.unknown(), maxWitnessedAt: z.unknown() })),
});

export async function planArchive(
  calls: ArchiveCalls,
  host: ArchiveHost,
  { afterSeq, beforeSeq }: { afterSeq: number; beforeSeq: number | undefined },
): Promise<ArchivePlan> {
  const { dids = [] } = host;
  const body = JSON.stringify({
    kinds: ['commit', 'account'],
    collections: [POSTS],
    ...(dids.length > 0 && { dids }),
    afterSeq,
    ...(beforeSeq !== undefined && { beforeSeq }),
  });
  const answer = await call(calls, host, 'planSnapshot', {}, { body, maxBytes: MAX_PLAN });
  return readAs(planShape, host, answer.body);
}

/** The first seq of the segment that holds a time (in microseconds), or of the first one after it; undefined after the last. */
export async function seqAtTime(calls: ArchiveCalls, host: ArchiveHost, time: number): Promise<number | undefined> {
  for (let cursor: string | undefined; ; ) {
    const answer = await call(calls, host, 'listSegments', { limit: '1000', ...(cursor !== undefined && { cursor }) });
    const page = readAs(listShape, host, answer.body);
    const found = page.segments.find(({ maxWitnessedAt }) => microseconds(maxWitnessedAt) >= time);
    if (found !== undefined) return found.minSeq;
    if (page.cursor === undefined || page.cursor === cursor || page.segments.length === 0) return undefined;
    cursor = page.cursor;
  }
}

/** The reference does not say in which form: a number of microseconds, or a date. */
function microseconds(value: unknown): number {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string') return Number.POSITIVE_INFINITY;
  return /^\d+$/.test(value) ? Number(value) : Date.parse(value) * 1_000;
}

export async function fetchBlock(
  calls: ArchiveCalls,
  host: ArchiveHost,
  { name, checksum }: PlannedSegment,
  index: number,
): Promise<Buffer> {
  const query = { segment: name, blockIndex: String(index) };
  const { body, headers } = await call(calls, host, 'getBlock', query, { maxBytes: MAX_ARCHIVE_FRAME });
  checkTag(host, headers.etag, `"${checksum}:${index}"`);
  return body;
}

/** Bytes of a segment from a place on; fewer at its end. */
export async function fetchPiece(
  calls: ArchiveCalls,
  host: ArchiveHost,
  { name, checksum }: PlannedSegment,
  { from, length }: { from: number; length: number },
): Promise<Buffer> {
  const { status, body, headers } = await call(
    calls,
    host,
    'getSegment',
    { name },
    { headers: { range: `bytes=${from}-${from + length - 1}` }, maxBytes: length + 1 },
  );
  if (status !== 206) throw new SourceError(`${hostOf(host.url)} sends no part of a segment, only all of it.`);
  checkTag(host, headers.etag, `"${checksum}"`);
  return body;
}

function checkTag({ url }: ArchiveHost, tag: string | undefined, expected: string): void {
  if (tag !== undefined && tag !== expected)
    throw new ArchiveChangedError(`${hostOf(url)} has rewritten a part of its archive.`);
}

interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly maxBytes?: number;
}

async function call(
  { http, signal }: ArchiveCalls,
  { url, key }: ArchiveHost,
  method: string,
  query: Record<string, string>,
  options: CallOptions = {},
) {
  const address = new URL(`${PATH}${method}`, url);
  address.protocol = address.protocol === 'ws:' || address.protocol === 'http:' ? 'http:' : 'https:';
  address.search = new URLSearchParams(query).toString();
  const authorization = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const answer = await http.get({
    ...options,
    url: address.href,
    headers: { ...authorization, ...options.headers },
    signal,
  });
  if (answer.status === 200 || answer.status === 206) return answer;
  const refused = new RefusedError(address.href, answer.status, answer.body.toString(), answer.retryAfter);
  if (answer.status === 401 || answer.status === 403)
    throw new ArchiveRefusedError(`The archive of ${hostOf(url)} does not accept the key.`, { cause: refused });
  if (refused.code === 'SegmentNotFound' || refused.code === 'BlockNotFound')
    throw new ArchiveChangedError(refused.message, { cause: refused });
  throw refused;
}

function readAs<Shape extends z.ZodType>(shape: Shape, { url }: ArchiveHost, body: Buffer): z.output<Shape> {
  const read = shape.safeParse(jsonOf(body.toString()));
  if (!read.success) throw new SourceError(`The archive of ${hostOf(url)} answers in a form that is not known.`);
  return read.data;
}
