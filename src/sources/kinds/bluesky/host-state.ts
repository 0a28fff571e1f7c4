/** What is known of a host of Jetstream while it is read, and what it brings. */
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
  /** Where older events are than those of the window. */
  readonly archive?: ArchiveHost | undefined;
  readonly url: string;
  readonly dids: readonly string[];
  readonly stall: number;
  readonly compress: boolean;
}

/** What is known of a host while it is read. */
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

/** An event of a host, or a span that it cannot bring any more, or brought from its archive (in microseconds). */
export type HostItem =
  | { readonly event: JetEvent; readonly hole?: undefined; readonly healed?: undefined }
  | { readonly hole: HostSpan; readonly event?: undefined; readonly healed?: undefined }
  /** What the host no longer had, and its archive has brought. */
  | { readonly healed: HostSpan; readonly event?: undefined; readonly hole?: undefined };

interface HostSpan {
  readonly from: number;
  readonly to: number;
}
