/**
 * One live reader. It catches up from the store until it has reached the ring, and then stays in step with the ring.
 * While its connection takes no bytes it stands still; only its position is kept.
 */

import { type EndReason, endFrame } from './frames.ts';
import { isWanted, type MatchFilter } from './match-log.ts';
import type { OutletWriter } from './outlet.ts';
import { catchUpStep, type StoreReading, walkRing, wasHeard } from './progress.ts';
import type { LiveFrame } from './ring.ts';
import { withDigest } from './wake-gate.ts';

export interface SubscriberParts extends StoreReading {
  readonly keyId: string;
  readonly session: string | undefined;
  /**
   * All subscribers that catch up read one after another, so that one page is in memory at a time. Accounts take turns: those
   * of one with many are not in the way of another's.
   */
  inTurn(step: () => Promise<void>): Promise<void>;
  onTrouble(error: unknown): void;
  /** Milliseconds on a clock that only goes forward. */
  elapsed(): number;
}

export class Subscriber {
  readonly keyId: string;
  readonly session: string | undefined;
  readonly filter: MatchFilter;
  readonly writer: OutletWriter;
  /** When it was last told how far the stream can be relied on. */
  coverageAt: number;
  readonly #parts: SubscriberParts;
  #isCatchingUp = false;
  /** Since when there is something that it has not been sent. */
  #behindSince: number | undefined;

  constructor(parts: SubscriberParts) {
    this.#behindSince = parts.elapsed();
    this.coverageAt = parts.elapsed();
    this.keyId = parts.keyId;
    this.session = parts.session;
    this.filter = parts.filter;
    this.writer = parts.writer;
    this.#parts = parts;
  }

  get position(): number {
    return this.#parts.progress.position;
  }

  /** It has heard all that the ring holds. */
  get isInStep(): boolean {
    const { progress, shared } = this.#parts;
    return progress.next !== undefined && progress.next === shared.ring?.next;
  }

  /** Milliseconds since it fell behind; 0 when it was sent all there is. */
  get behindFor(): number {
    this.#noteStep();
    return this.#behindSince === undefined ? 0 : this.#parts.elapsed() - this.#behindSince;
  }

  #noteStep(): void {
    if (this.isInStep) this.#behindSince = undefined;
    else this.#behindSince ??= this.#parts.elapsed();
  }

  /** New frames of the ring, from a number on; `bytes` holds those that the filter wants. */
  offer(from: number, count: number, bytes: Buffer): void {
    this.#offer(from, count, bytes);
    this.#noteStep();
  }

  #offer(from: number, count: number, bytes: Buffer): void {
    const { progress, shared, writer, gate } = this.#parts;
    if (!writer.isReady) return;
    const [first, last] = [shared.ring?.at(from), shared.ring?.at(from + count - 1)];
    const isInOrder = gate === undefined && progress.next === from;
    if (!isInOrder || first === undefined || last === undefined || wasHeard(progress, first)) {
      this.resume();
      return;
    }
    progress.next = from + count;
    progress.position = last.position;
    if (bytes.length > 0) writer.write(bytes);
  }

  offerOne(number: number, frame: LiveFrame): void {
    this.offer(number, 1, isWanted(this.filter, frame) ? frame.bytes : Buffer.alloc(0));
  }

  /** Continues to read where it can. */
  resume(): void {
    const { progress, writer } = this.#parts;
    if (!writer.isReady) return;
    if (progress.next === undefined || walkRing(this.#parts) === 'lost') void this.#catchUp();
  }

  drained(): void {
    this.writer.drained();
    this.resume();
    this.#noteStep();
  }

  closed(): void {
    this.writer.closed();
  }

  end(reason: EndReason): void {
    this.writer.end(endFrame(reason));
  }

  beat(frame: Uint8Array): void {
    const { gate } = this.#parts;
    if (this.writer.isReady) this.writer.write(gate === undefined ? frame : withDigest(gate.flush(), frame));
  }

  /** A match was deleted: what is held, and may hold it, is read from the store again. */
  forget(): void {
    const { gate, progress } = this.#parts;
    const first = gate?.drop();
    if (first === undefined) return;
    progress.position = first - 1;
    progress.next = undefined;
  }

  async #catchUp(): Promise<void> {
    const { writer, shared, inTurn, onTrouble } = this.#parts;
    if (this.#isCatchingUp) return;
    this.#isCatchingUp = true;
    try {
      while (writer.isReady && shared.ring !== undefined && !this.#join()) await inTurn(() => catchUpStep(this.#parts));
    } catch (error) {
      onTrouble(error);
    } finally {
      this.#isCatchingUp = false;
      this.#noteStep();
    }
  }

  /** True once nothing lies between the subscriber and the ring. */
  #join(): boolean {
    const { progress, shared } = this.#parts;
    if (shared.ring === undefined || progress.position < shared.ring.start) return false;
    progress.next = shared.ring.numberAfter(progress.position);
    return walkRing(this.#parts) === 'done';
  }
}
