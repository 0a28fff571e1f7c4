/** The state of a host of Jetstream while it is read, and the items that it brings. */
import zlib from 'node:zlib';
import type { FetchContext } from '../../fetch/rounds.ts';
import { MAX_FRAME } from '../../fetch/web-socket.ts';
import type { ArchiveHost } from './archive-client.ts';
import type { JetEvent } from './wire.ts';

/** The last event that was taken of a host. */
export interface HostCursor {
  readonly seq?: number | undefined;
  /** In microseconds, by the host's clock. */
  readonly time: number;
  /** The host was read without a hole since then. */
  readonly since: number;
}

export interface HostOptions {
  /** The archive with events older than those of the window. */
  readonly archive?: ArchiveHost | undefined;
  readonly url: string;
  readonly dids: readonly string[];
  readonly stall: number;
  readonly compress: boolean;
}

/** The state of a host while it is read. */
export interface Host extends HostOptions {
  last: HostCursor | undefined;
  wire: 'events' | 'old';
  /** `seq` was counted by another instance, or is too old: the next connection begins at a time. */
  byTime: boolean;
  dictionary: ZstdDictionary | undefined;
  wantsDictionary: boolean;
  /** The next connection begins where the archive ends, which may be an event that is not asked for. */
  isHealed: boolean;
}

/** An item that a host brings: one of these. */
export interface HostItem {
  readonly event?: JetEvent;
  /** A span that it cannot bring any more, in microseconds. */
  readonly hole?: HostSpan;
  /** A span that the host no longer had, and its archive has brought. */
  readonly healed?: HostSpan;
  /** A frame that cannot be read. */
  readonly isUnread?: true;
}

interface HostSpan {
  readonly from: number;
  readonly to: number;
}

/** Jetstream's compression: every frame is one zstd frame, packed with a dictionary that the host hands out. */
interface ZstdDictionary {
  readonly id: number;
  readonly bytes: Buffer;
}

const DICTIONARY_PATH = '/xrpc/network.bsky.jetstream.getZstdDictionary';
const MAX_DICTIONARY = 1024 * 1024;
/** How a dictionary begins (RFC 8878, section 5); its id follows. */
const MAGIC = 0xec30a437;

/** Node has zstd since 22.15. */
export const canUnpack = typeof zlib.zstdDecompressSync === 'function';

/** The host's current dictionary; undefined when it has none, or Node cannot unpack: frames then come as text. */
export async function fetchDictionary(context: FetchContext, host: string): Promise<ZstdDictionary | undefined> {
  if (!canUnpack) return undefined;
  const address = new URL(DICTIONARY_PATH, host);
  address.protocol = address.protocol === 'ws:' ? 'http:' : 'https:';
  const answer = await context.http
    .get({ url: address.href, signal: context.signal, maxBytes: MAX_DICTIONARY })
    .catch(() => undefined);
  if (answer?.status !== 200 || answer.body.length < 8 || answer.body.readUInt32LE(0) !== MAGIC) return undefined;
  return { id: answer.body.readUInt32LE(4), bytes: answer.body };
}

/** Returns undefined when it is not a frame of this dictionary, or unpacks to more than a frame may have. */
export function unpack(frame: Buffer, { bytes }: ZstdDictionary): string | undefined {
  try {
    return zlib.zstdDecompressSync(frame, { dictionary: bytes, maxOutputLength: MAX_FRAME }).toString();
  } catch {
    return undefined;
  }
}
