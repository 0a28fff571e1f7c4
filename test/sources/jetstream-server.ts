/** A host of Jetstream as the reference describes it: both wires, cursors, filters, refusals, compression, and its faults. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import zlib from 'node:zlib';
import { type WebSocket, WebSocketServer } from 'ws';
import type { ArchivedRow, archiveOver } from './archive-server.ts';

export const BEGAN = 1_760_000_000_000_000;
const EVENTS = '/xrpc/network.bsky.jetstream.subscribeEvents';
const TYPE = 'network.bsky.jetstream.subscribeEvents';
const TIME = 1e15;

/** An event of the network: every host sees it, with a counter and a time of its own. */
export interface Happening {
  readonly did: string;
  /** In microseconds. */
  readonly at: number;
  readonly kind: 'commit' | 'identity' | 'account' | 'sync' | 'future';
  readonly commit?: { collection: string; [field: string]: unknown };
  readonly account?: object;
}

const TID = '234567abcdefghijklmnopqrstuvwxyz';
export function tid(micros: number): string {
  let value = BigInt(micros) << 10n;
  let text = '';
  for (let digit = 0; digit < 13; digit++) {
    text = TID[Number(value & 31n)]! + text;
    value >>= 5n;
  }
  return text;
}

/** A post for each number, one a second. */
export const posted = (number: number, change: object = {}, record: object = {}): Happening => {
  const at = BEGAN + number * 1_000_000;
  return {
    did: `did:plc:author${number % 3}`,
    at,
    kind: 'commit',
    commit: {
      rev: tid(at),
      operation: 'create',
      collection: 'app.bsky.feed.post',
      rkey: `3l${number}`,
      cid: `bafy${number}`,
      record: {
        $type: 'app.bsky.feed.post',
        text: `Post number ${number} on storms`,
        langs: ['en-US'],
        createdAt: new Date(at / 1_000).toISOString(),
        ...record,
      },
      ...change,
    },
  };
};

/** The rows of these events, as a host's archive has them. */
export const archived = (happenings: readonly Happening[], { firstSeq = 1, skew = 0 } = {}): ArchivedRow[] =>
  happenings.map(({ did, at, kind, commit, account }, index) => {
    const { collection, rkey, rev, operation, record } = (commit ?? {}) as Record<string, string>;
    const operations: Record<string, 1 | 2 | 3> = { create: 1, update: 2, delete: 3 };
    const number = kind === 'commit' ? operations[operation!]! : kind === 'account' ? 5 : kind === 'identity' ? 4 : 6;
    const texts = commit === undefined ? {} : { collection: collection!, rkey: rkey!, rev: rev! };
    return { seq: firstSeq + index, time: at + skew, kind: number, did, ...texts, event: record ?? account };
  });

export type JetFault =
  | { is: 'close'; after: number; code: 1001 | 1006 }
  | { is: 'error'; after: number; name: string }
  | { is: 'silence'; after: number }
  | { is: 'half'; after: number }
  | { is: 'unavailable' };

export interface JetHostSettings {
  /** The events that the host serves, in its order. */
  happenings: Happening[];
  /** The first counter; another instance behind the same name has another one. */
  firstSeq?: number;
  /** Microseconds that the host's clock is ahead. */
  skew?: number;
  /** The first counter that it still has. */
  floorSeq?: number;
  withholds?: (happening: Happening) => boolean;
  /** A host of the old fleet knows `/subscribe` alone, without counters. */
  isOld?: boolean;
  /** Sends each frame twice. */
  stutters?: boolean;
  /** Older events than those of the window. */
  archive?: ReturnType<typeof archiveOver>;
  dictionary?: { readonly id: number; readonly bytes: Buffer };
  /** One for each connection, in order. */
  faults?: (JetFault | undefined)[];
}

/** A small dictionary, trained on frames like these; its id is 7. */
export const DICTIONARY = Buffer.from(
  [
    'N6Qw7AcAAAAiENBBQXX//////8+klbu2JP0lW21Jagv/sEuZUkop8f+rGdMHAAAuAABkjwYAAAQAwIQNCgYAAAAAIBQIADIIAAAAIQYAAAAg',
    'CAAAAAAAAAAAAOAB5TTdAQAAAHTpCgxVeKAAAACA4gYAAAAAAAAAAAABAAAABAAAAAgAAABjOmF1dGhvcjIiLCJ0aW1lIjoiMjAyNS0xMC0w',
    'OVQwODo1MzozNS4wMDAwMDBaIiwicmV2IjoibDN4cHZ2aWh2ZzI3eCIsIm9wZXJhdGlvbiI6ImNyZWF0ZSIsImNvbGxlY3Rpb24iOiJhcHAu',
    'YnNreS5mZWVkLnBvc3QiLCJya2V5IjoiM2wyMTUiLCJjaWQiOiJiYWZ5MjE1IiwicmVjb3JkIjp7IiR0eXBlIjoiYXBwLmJza3kuZmVlZC5w',
    'b3N0IiwidGV4dCI6IlBvc3QgbnVtYmVyIDIxNSBvbiBzdG9ybXMiLCJsYW5ncyI6WyJlbi1VUyJdLCJjcmVhdGVkQXQiOiIyMDI1LTEwLTA5',
    'VDA4OjUzOjIwLjAwMFoifX19eyIkdHlwZSI6Im1lc3NhZ2UiLCJwYXlsb2FkIjp7IiR0eXBlIjoibmV0d29yay5ic2t5LmpldHN0cmVhbS5z',
    'dWJzY3JpYmVFdmVudHMjY29tbWl0Iiwic2VxIjozNjU1MDQsImRpZCI6ImRpZDpwbGM6YXV0aG9yMSIsInRpbWUiOiIyMDI1LTEwLTA5VDA4',
    'OjUzOjQwLjAwMDAwMFoiLCJyZXYiOiIycXBtMmJ5M3hzbTZsIiwib3BlcmF0aW9uIjoiY3JlYXRlIiwiY29sbGVjdGlvbiI6ImFwcC5ic2t5',
    'LmZlZWQucG9zdCIsInJrZXkiOiIzbDE2MCIsImNpZCI6ImJhZnkxNjAiLCJyZWNvcmQiOnsiJHR5cGUiOiJhcHAuYnNreS5mZWVkLnBvc3Qi',
    'LCJ0ZXh0IjoiUG9zdCBudW1iZXIgMTYwIG9uIHN0b3JtcyIsImxhbmdzIjpbImVuLVVTIl0sImNyZWF0ZWRBdCI6IjIwMjUtMTAtMDlUMDg6',
    'NTM6MjAuMDAwWiJ9fX17IiR0eXBlIjoibWVzc2FnZSIsInBheWxvYWQiOnsiJHR5cGUiOiJuZXR3b3JrLmJza3kuamV0c3RyZWFtLnN1YnNj',
    'cmliZUV2ZW50cyNjb21taXQiLCJzZXEiOjQ0NTc1MCwiZGlkIjoiZGlkOnBsYzphdXRob3IwIiwidGltZSI6IjIwMjUtMTAtMDlUMDg6NTM6',
    'MzkuMDAwMDAwWiIsInJldiI6IndsdXY0cnd4aG9xY2siLCJvcGVyYXRpb24iOiJjcmVhdA==',
  ].join(''),
  'base64',
);

interface Row {
  readonly seq: number;
  readonly time: number;
  readonly happening: Happening;
}

export async function openJetHost(settings: JetHostSettings) {
  const asked: URL[] = [];
  const live = new Set<{ socket: WebSocket; send: (row: Row) => void }>();
  let fired = 0;
  const rowsOf = (): Row[] => {
    const { happenings, firstSeq = 1, skew = 0, withholds = () => false } = settings;
    const rows = happenings.map((happening, at) => ({ seq: firstSeq + at, time: happening.at + skew, happening }));
    return rows.filter(({ happening }) => !withholds(happening));
  };
  const server = createServer((request, response) => answer(settings, request, response));
  const sockets = new WebSocketServer({ noServer: true });
  server.on('upgrade', (request, socket, head) => {
    const url = new URL(request.url!, 'ws://host');
    asked.push(url);
    const fault = settings.faults?.[asked.length - 1];
    if (fault !== undefined) fired++;
    const refusal = fault?.is === 'unavailable' ? unavailable : refusalOf(settings, url, rowsOf());
    if (refusal !== undefined) return refuse(socket, refusal);
    sockets.handleUpgrade(request, socket, head, (opened) => serve(opened, socket, url, fault));
  });

  function serve(socket: WebSocket, raw: Duplex, url: URL, fault: JetFault | undefined): void {
    const sender = senderOf({ socket, raw }, url, settings, fault);
    const entry = { socket, send: sender };
    live.add(entry);
    socket.on('close', () => live.delete(entry));
    const given = url.searchParams.get('cursor');
    if (given === null) return;
    const cursor = Number(given);
    const floor = settings.floorSeq ?? 0;
    const rows = rowsOf().filter(({ seq }) => seq >= floor);
    const isTime = cursor >= TIME;
    const rest = rows.filter(({ seq, time }) => (isTime ? time >= cursor : seq >= cursor));
    const isClamped = isTime && floor > 1 && rows[0] !== undefined && cursor < rows[0].time;
    if (isClamped && url.pathname === EVENTS)
      socket.send(
        JSON.stringify({
          $type: 'message',
          payload: { $type: `${TYPE}#info`, name: 'OutdatedCursor', message: `clamped to seq ${floor}` },
        }),
      );
    for (const row of rest) sender(row);
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    settings,
    asked,
    get fired() {
      return fired;
    },
    get connections() {
      return live.size;
    },
    /** Something new happens: those who are connected see it. */
    add(...happenings: Happening[]) {
      const before = new Set(rowsOf().map(({ seq }) => seq));
      settings.happenings.push(...happenings);
      for (const row of rowsOf()) if (!before.has(row.seq)) for (const { send } of live) send(row);
    },
    /** As `add`, for many at once, of a host that withholds nothing. */
    send(happenings: readonly Happening[]) {
      const { firstSeq = 1, skew = 0 } = settings;
      for (const happening of happenings) {
        const row = { seq: firstSeq + settings.happenings.length, time: happening.at + skew, happening };
        settings.happenings.push(happening);
        for (const { send } of live) send(row);
      }
    },
    cut() {
      for (const { socket } of live) socket.terminate();
    },
    async [Symbol.asyncDispose]() {
      for (const { socket } of live) socket.terminate();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function answer(settings: JetHostSettings, request: IncomingMessage, response: ServerResponse): void {
  const { dictionary, archive } = settings;
  if (archive?.answer(request, response)) return;
  if (dictionary !== undefined && request.url?.includes('getZstdDictionary'))
    response.writeHead(200).end(dictionary.bytes);
  else response.writeHead(404).end('no such thing');
}

interface Refusal {
  readonly status: string;
  readonly body: string;
}
const xrpc = (status: string, error: string, message: string): Refusal => ({
  status,
  body: JSON.stringify({ error, message }),
});
const unavailable = xrpc('503 Service Unavailable', 'ServiceUnavailable', 'starting up');

function refuse(socket: Duplex, { status, body }: Refusal): void {
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nRetry-After: 0\r\nConnection: close\r\n\r\n${body}`,
  );
}

const KINDS = ['commit', 'identity', 'account', 'sync'];
const PARAMETERS = ['cursor', 'kinds', 'dids', 'collections', 'maxMessageSizeBytes', 'zstdDictionary'];

/** Why a connection is not opened. */
function refusalOf(settings: JetHostSettings, { pathname, searchParams }: URL, rows: readonly Row[]) {
  if (pathname === '/subscribe') return undefined;
  if (pathname !== EVENTS || settings.isOld) return { status: '404 Not Found', body: 'not found' };
  const bad = (message: string) => xrpc('400 Bad Request', 'InvalidRequest', message);
  const unknown = [...searchParams.keys()].find((name) => !PARAMETERS.includes(name));
  if (unknown !== undefined) return bad(`${unknown} is not known`);
  const kinds = searchParams.getAll('kinds');
  if (kinds.some((kind) => !KINDS.includes(kind))) return bad('unknown kind');
  if (searchParams.has('collections') && kinds.length > 0 && !kinds.includes('commit'))
    return bad('collections without commit');
  const dictionary = searchParams.get('zstdDictionary');
  if (dictionary !== null && Number(dictionary) !== settings.dictionary?.id)
    return xrpc('400 Bad Request', 'UnknownZstdDictionary', 'the current id is another one');
  const cursor = searchParams.get('cursor');
  if (cursor === null) return undefined;
  if (!/^\d+$/.test(cursor)) return bad('cursor');
  const floor = Math.max(settings.floorSeq ?? 0, 0);
  const isTooOld = Number(cursor) < TIME && Number(cursor) < floor && rows.length > 0;
  return isTooOld ? xrpc('400 Bad Request', 'CursorTooOld', `the floor is seq ${floor}`) : undefined;
}

interface Ends {
  readonly socket: WebSocket;
  readonly raw: Duplex;
}

function senderOf({ socket, raw }: Ends, url: URL, settings: JetHostSettings, fault: JetFault | undefined) {
  const isOldWire = url.pathname === '/subscribe';
  const kinds = url.searchParams.getAll('kinds');
  const collections = url.searchParams.getAll(isOldWire ? 'wantedCollections' : 'collections');
  const dids = url.searchParams.getAll(isOldWire ? 'wantedDids' : 'dids');
  const isPacked = url.searchParams.has('zstdDictionary');
  let sent = 0;
  return (row: Row): void => {
    const { kind, did, commit } = row.happening;
    if (isOldWire && (kind === 'sync' || kind === 'future')) return;
    if (kinds.length > 0 && !kinds.includes(kind) && kind !== 'future') return;
    if (commit !== undefined && collections.length > 0 && !collections.includes(commit.collection)) return;
    if (dids.length > 0 && !dids.includes(did)) return;
    if (fault !== undefined && fault.is !== 'unavailable' && sent >= fault.after) {
      fail({ socket, raw }, fault);
      return;
    }
    sent++;
    const text = JSON.stringify(isOldWire ? oldFrame(row, settings) : newFrame(row));
    const frame = isPacked
      ? zlib.zstdCompressSync(Buffer.from(text), { dictionary: settings.dictionary!.bytes })
      : text;
    for (let times = settings.stutters ? 2 : 1; times > 0; times--) socket.send(frame);
  };
}

function fail({ socket, raw }: Ends, fault: JetFault): void {
  if (fault.is === 'error') socket.send(JSON.stringify({ $type: 'error', error: fault.name, message: 'goodbye' }));
  if (fault.is === 'error') socket.close(1011);
  if (fault.is === 'close' && fault.code === 1001) socket.close(1001);
  if (fault.is === 'close' && fault.code === 1006) socket.terminate();
  if (fault.is === 'silence') socket.ping();
  if (fault.is !== 'half') return;
  raw.end(Buffer.from([0x81, 0x7e, 0x10, 0x00, 0x7b, 0x22]));
}

const iso = (micros: number): string =>
  new Date(micros / 1_000).toISOString().replace('Z', `${String(micros % 1_000).padStart(3, '0')}Z`);

const newFrame = ({ seq, time, happening: { did, kind, commit, account } }: Row) => ({
  $type: 'message',
  payload: { $type: `${TYPE}#${kind}`, seq, did, time: iso(time), ...commit, ...(account && { account }) },
});

const oldFrame = ({ seq, time, happening: { did, kind, commit, account } }: Row, { isOld }: JetHostSettings) => ({
  did,
  time_us: time,
  ...(!isOld && { cursor: seq }),
  kind,
  ...(commit && { commit }),
  ...(account && { account }),
});
