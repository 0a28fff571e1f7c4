/** A connection that frames are written to, and what is known of its reader. */
import type { Clock } from '../../base/clock.ts';

export interface Outlet {
  /** False when the connection takes no more until it is drained. */
  write(bytes: Uint8Array): boolean;
  /** Bytes that wait to be read. */
  readonly queued: number;
  /** Writes these bytes and ends the connection. */
  end(bytes: Uint8Array): void;
  destroy(): void;
}

/** After the last bytes are sent, the client has this long to read them before the socket is destroyed. */
const LINGER_MS = 5_000;

export class OutletWriter {
  readonly #outlet: Outlet;
  readonly #clock: Clock;
  readonly #lingering = new AbortController();
  isClosed = false;
  /** When the reader last stopped reading; undefined while it reads. Both are by the clock that is never set. */
  blockedSince: number | undefined;
  wroteAt: number;

  constructor(outlet: Outlet, clock: Clock) {
    this.#outlet = outlet;
    this.#clock = clock;
    this.wroteAt = clock.elapsed();
  }

  /** The connection is open and takes bytes. */
  get isReady(): boolean {
    return !this.isClosed && this.blockedSince === undefined;
  }

  get queued(): number {
    return this.#outlet.queued;
  }

  write(bytes: Uint8Array): void {
    this.wroteAt = this.#clock.elapsed();
    if (!this.#outlet.write(bytes)) this.blockedSince ??= this.wroteAt;
  }

  /** The reader has read everything that waited. */
  drained(): void {
    this.blockedSince = undefined;
  }

  /** The reader has gone. */
  closed(): void {
    this.isClosed = true;
    this.#lingering.abort();
  }

  /** Sends the last bytes and closes. */
  end(bytes: Uint8Array): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.#outlet.end(bytes);
    void this.#clock.sleep(LINGER_MS, this.#lingering.signal).then(() => this.#outlet.destroy());
  }
}
