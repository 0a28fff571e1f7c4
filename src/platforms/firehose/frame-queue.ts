/** Frames that were read and not yet taken. It holds few, so that what we cannot take stays upstream. */
import type { EventFrame } from './frames.ts';

const MOST_FRAMES = 1_000;
const MOST_CHARACTERS = 8 * 1024 * 1024;

export interface Received {
  readonly frame: EventFrame;
  readonly at: Date;
  /** Everything that had reached this machine by then has been read. */
  readonly readThrough: Date;
}

export class FrameQueue {
  #waiting: Received[] = [];
  #first = 0;
  #taken = 0;
  #characters = 0;

  put(received: Received): void {
    this.#waiting.push(received);
    this.#characters += received.frame.data.length;
  }

  take(): Received | undefined {
    const received = this.#waiting[this.#first];
    if (received === undefined) return undefined;
    this.#first++;
    this.#taken++;
    this.#characters -= received.frame.data.length;
    // Places are freed many at a time: removing the first of a long list moves all others.
    if (this.#first === this.#waiting.length || this.#first === MOST_FRAMES) {
      this.#waiting = this.#waiting.slice(this.#first);
      this.#first = 0;
    }
    return received;
  }

  /** How many frames were ever taken. */
  get taken(): number {
    return this.#taken;
  }

  get isFull(): boolean {
    return !this.#fits(1);
  }

  get isLow(): boolean {
    return this.#fits(0.5);
  }

  #fits(share: number): boolean {
    const frames = this.#waiting.length - this.#first;
    return frames < MOST_FRAMES * share && this.#characters < MOST_CHARACTERS * share;
  }
}
