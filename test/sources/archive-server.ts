/**
 * Jetstream's archive as the reference describes it: segments and blocks written by an encoder of the test's own, plans of one
 * unit a page, a key, quotas, and segments that are rewritten between plan and fetch.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import zlib from 'node:zlib';

/** A row of the archive; `event` is JSON in atproto's form. */
export interface ArchivedRow {
  readonly seq: number;
  readonly time: number;
  readonly kind: 1 | 2 | 3 | 4 | 5 | 6 | 7;
  readonly did: string;
  readonly collection?: string;
  readonly rkey?: string;
  readonly rev?: string;
  readonly event?: unknown;
}

export interface ArchiveSettings {
  /** Blocks of segments, in order. */
  segments: ArchivedRow[][][];
  key?: string;
  /** Every other segment is fetched whole. */
  wholeToo?: boolean;
  /** The faults that each request is answered with instead, in order; undefined lets it pass. */
  faults?: (ArchiveFault | undefined)[];
}

export type ArchiveFault = 'busy' | 'changed' | 'cut' | 'gone' | 'damaged';

export function encodeCbor(value: unknown): Buffer {
  if (value === null) return Buffer.from([0xf6]);
  if (typeof value === 'boolean') return Buffer.from([value ? 0xf5 : 0xf4]);
  if (typeof value === 'number') return encodeNumber(value);
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Array.isArray(value)) return Buffer.concat([head(4, value.length), ...value.map(encodeCbor)]);
  const { $link, $bytes } = value as { $link?: string; $bytes?: string };
  if ($bytes !== undefined) return bytesOf(Buffer.from($bytes, 'base64'));
  if ($link !== undefined)
    return Buffer.concat([head(6, 42), bytesOf(Buffer.from([0, ...fromBase32($link.slice(1))]))]);
  const entries = Object.entries(value as object).filter(([, held]) => held !== undefined);
  return Buffer.concat([
    head(5, entries.length),
    ...entries.flatMap(([key, held]) => [encodeCbor(key), encodeCbor(held)]),
  ]);
}

const bytesOf = (bytes: Buffer): Buffer => Buffer.concat([head(2, bytes.length), bytes]);

function encodeNumber(value: number): Buffer {
  if (Number.isInteger(value)) return value < 0 ? head(1, -1 - value) : head(0, value);
  const bytes = Buffer.alloc(9);
  bytes[0] = 0xfb;
  bytes.writeDoubleBE(value, 1);
  return bytes;
}

function head(major: number, count: number): Buffer {
  const first = major << 5;
  if (count < 24) return Buffer.from([first | count]);
  if (count < 256) return Buffer.from([first | 24, count]);
  if (count < 65_536) return Buffer.from([first | 25, count >> 8, count & 255]);
  const bytes = Buffer.alloc(count < 2 ** 32 ? 5 : 9);
  bytes[0] = first | (count < 2 ** 32 ? 26 : 27);
  if (count < 2 ** 32) bytes.writeUInt32BE(count, 1);
  else bytes.writeBigUInt64BE(BigInt(count), 1);
  return bytes;
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz234567';
function fromBase32(text: string): number[] {
  const bits = Array.from(text, (letter) => LETTERS.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return (bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2));
}

export function encodeBlock(rows: readonly ArchivedRow[]): Buffer {
  const texts = rows.map(({ collection = '', did, rkey = '', rev = '' }) => ({ collection, did, rkey, rev }));
  const events = rows.map(({ event }) => (event === undefined ? Buffer.alloc(0) : encodeCbor(event)));
  const column = (size: number, write: (bytes: Buffer, at: number, index: number) => void): Buffer => {
    const bytes = Buffer.alloc(size * rows.length);
    for (let index = 0; index < rows.length; index++) write(bytes, size * index, index);
    return bytes;
  };
  const small = (of: (index: number) => number) =>
    column(1, (bytes, at, index) => void bytes.writeUInt8(of(index), at));
  const text = (name: 'collection' | 'did' | 'rkey' | 'rev') => Buffer.from(texts.map((row) => row[name]).join(''));
  const length = (name: 'collection' | 'did' | 'rkey' | 'rev', index: number) => Buffer.byteLength(texts[index]![name]);
  const count = Buffer.alloc(4);
  count.writeUInt32LE(rows.length);
  const time = column(8, (bytes, at, index) => void bytes.writeBigInt64LE(BigInt(rows[index]!.time), at));
  return Buffer.concat([
    count,
    column(8, (bytes, at, index) => void bytes.writeBigUInt64LE(BigInt(rows[index]!.seq), at)),
    time,
    time,
    small((index) => rows[index]!.kind),
    small((index) => length('collection', index)),
    column(2, (bytes, at, index) => void bytes.writeUInt16LE(length('did', index), at)),
    small((index) => length('rkey', index)),
    small((index) => length('rev', index)),
    column(4, (bytes, at, index) => void bytes.writeUInt32LE(events[index]!.length, at)),
    text('collection'),
    text('did'),
    text('rkey'),
    text('rev'),
    ...events,
  ]);
}

export const packedBlock = (rows: readonly ArchivedRow[]): Buffer => zlib.zstdCompressSync(encodeBlock(rows));

function encodeSegment(blocks: readonly (readonly ArchivedRow[])[]): Buffer {
  const header = Buffer.alloc(256);
  header.write('jss0', 0, 'latin1');
  header.writeUInt16LE(1, 12);
  header.writeUInt32LE(blocks.length, 14);
  const frames = blocks.map(packedBlock).flatMap((frame) => {
    const length = Buffer.alloc(8);
    length.writeBigUInt64LE(BigInt(frame.length));
    return [length, frame];
  });
  return Buffer.concat([header, ...frames, Buffer.from('the footer')]);
}

export interface ArchiveServer extends AsyncDisposable {
  readonly url: string;
  readonly settings: ArchiveSettings;
  readonly asked: string[];
  /** Answers a request of the archive; false when it is none. */
  answer(request: IncomingMessage, response: ServerResponse): boolean;
}

export function archiveOver(settings: ArchiveSettings) {
  const asked: string[] = [];
  /** Grows when segments are rewritten. */
  let version = 1;
  const checksumOf = (index: number) => `sum${index}v${version}`;
  const nameOf = (index: number) => `seg_${index.toString(36).padStart(10, '0')}.jss`;
  const rows = (index: number) => settings.segments[index]!.flat();
  const tip = () => settings.segments.flat(2).at(-1)?.seq ?? 0;

  function plan(body: { afterSeq?: number; wantedCollections?: unknown }) {
    const { afterSeq = 0 } = body;
    const index = settings.segments.findIndex((_, at) => (rows(at).at(-1)?.seq ?? 0) > afterSeq);
    if (index < 0) return { plannedThroughSeq: tip(), sealedTipSeq: tip(), segments: [], stats: {} };
    const blocks = settings.segments[index]!;
    const first = blocks.findIndex((block) => (block.at(-1)?.seq ?? 0) > afterSeq);
    const isWhole = settings.wholeToo === true && index % 2 === 1;
    const last = isWhole ? blocks.length - 1 : first;
    const unit = {
      name: nameOf(index),
      index,
      checksum: checksumOf(index),
      minSeq: rows(index)[0]!.seq,
      maxSeq: rows(index).at(-1)!.seq,
    };
    const how = isWhole ? { mode: 'segment' } : { mode: 'blocks', blocks: [{ first, last }] };
    return {
      plannedThroughSeq: blocks[last]!.at(-1)!.seq,
      sealedTipSeq: tip(),
      segments: [{ ...unit, ...how }],
      stats: {},
    };
  }

  const list = (query: URLSearchParams) => {
    const from = Number(query.get('cursor') ?? 0);
    const segments = settings.segments.slice(from, from + 1).map((_, at) => ({
      name: nameOf(from + at),
      minSeq: rows(from + at)[0]!.seq,
      minWitnessedAt: rows(from + at)[0]!.time,
      maxWitnessedAt: rows(from + at).at(-1)!.time,
    }));
    return { segments, ...(from + 1 < settings.segments.length && { cursor: String(from + 1) }) };
  };

  function send(
    response: ServerResponse,
    body: Buffer,
    tag: string,
    range: string | undefined,
    fault: ArchiveFault | undefined,
  ): void {
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(range ?? '') ?? [];
    const part = from === undefined ? body : body.subarray(Number(from), Number(to) + 1);
    const sent = fault === 'damaged' ? Buffer.from(part.toReversed()) : part;
    response.writeHead(from === undefined ? 200 : 206, { etag: `"${tag}"`, 'content-length': sent.length });
    if (fault === 'cut') return void response.write(sent.subarray(0, 10), () => response.destroy());
    response.end(sent);
  }

  const refuse = (response: ServerResponse, status: number, error: string, headers = {}) =>
    void response.writeHead(status, headers).end(JSON.stringify({ error, message: `no: ${error}` }));

  function respond(method: string, url: URL, body: string, range: string | undefined, response: ServerResponse): void {
    const fault = settings.faults?.[asked.length - 1];
    const name = url.searchParams.get('segment') ?? url.searchParams.get('name');
    const index = settings.segments.findIndex((_, at) => nameOf(at) === name);
    const block = Number(url.searchParams.get('blockIndex') ?? -1);
    // Compaction comes between the plan and the fetch.
    if (fault === 'changed' && method.startsWith('get')) version++;
    if (fault === 'busy') refuse(response, 429, 'RateLimitExceeded', { 'retry-after': '0' });
    else if (method === 'planSnapshot') response.end(JSON.stringify(plan(JSON.parse(body))));
    else if (method === 'listSegments') response.end(JSON.stringify(list(url.searchParams)));
    else if (fault === 'gone') refuse(response, 404, 'BlockNotFound');
    else if (index < 0) refuse(response, 404, 'SegmentNotFound');
    else if (method === 'getSegment')
      send(response, encodeSegment(settings.segments[index]!), checksumOf(index), range, fault);
    else
      send(response, packedBlock(settings.segments[index]![block]!), `${checksumOf(index)}:${block}`, undefined, fault);
  }

  function answer(request: IncomingMessage, response: ServerResponse): boolean {
    const url = new URL(request.url!, 'http://host');
    const [, method] =
      /^\/xrpc\/network\.bsky\.jetstream\.(planSnapshot|listSegments|getSegment|getBlock)$/.exec(url.pathname) ?? [];
    if (method === undefined) return false;
    asked.push(method);
    if (settings.key !== undefined && request.headers.authorization !== `Bearer ${settings.key}`) {
      refuse(response, 401, 'AuthMissing');
      return true;
    }
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => respond(method, url, Buffer.concat(parts).toString(), request.headers.range, response));
    return true;
  }
  return { settings, asked, answer };
}

export async function openArchive(settings: ArchiveSettings): Promise<ArchiveServer> {
  const archive = archiveOver(settings);
  const server = createServer((request, response) => {
    if (!archive.answer(request, response)) response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    ...archive,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
