/** The state of a host of Jetstream while it is read, and the items that it brings. */
import type { ArchiveHost } from './archive-client.ts';
import type { ZstdDictionary } from './dictionary.ts';
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
