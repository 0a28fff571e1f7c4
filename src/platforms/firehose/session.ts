/**
 * The state between connections: the position in the stream, the open gap, and the state that was told last. It makes
 * the stream items for them.
 */
import type { Clock } from '../../base/clock.ts';
import type { StreamItem, StreamState } from '../platform.ts';
import {
  FIREHOSE_DELAY_MS,
  firstPosition,
  readPosition,
  type StreamPosition,
  writePosition,
} from './stream-position.ts';

interface OpenGap {
  readonly from: Date;
  readonly cause: string;
  /** Whether resuming brings back what was missed. */
  readonly recoverable: boolean;
}

const gapItem = ({ from, cause }: OpenGap, to: Date | undefined, recovered: boolean): StreamItem => ({
  kind: 'gap',
  gap: { from, to, cause, recovered },
});

export class StreamSession {
  position: StreamPosition;
  /** The buffer does not reach back far enough: the first event tells where it begins. */
  isAged = false;
  readonly #clock: Clock;
  readonly #start: StreamPosition;
  #reachedAt: number | undefined;
  #notBefore = 0;
  #told = '';
  #gap: OpenGap | undefined;
  #suspect: OpenGap | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#start = firstPosition(clock.now().getTime());
    this.position = this.#start;
  }

  get gap(): OpenGap | undefined {
    return this.#gap;
  }

  /** Goes back to the committed position. */
  resume(committed: string | undefined): void {
    const found = (committed === undefined ? undefined : readPosition(committed)) ?? this.#start;
    this.position = found.through < this.#notBefore ? { ...found, through: this.#notBefore } : found;
  }

  /** There was nothing to watch until now. */
  skipToNow(): void {
    this.#notBefore = this.#clock.now().getTime();
    this.reach(this.#notBefore);
  }

  /** How long ago the position was reached. The longer of two clocks counts: one may be set back, the other may sleep. */
  awayMs(): number {
    const byWall = this.#clock.now().getTime() - this.position.through;
    return Math.max(byWall, this.#reachedAt === undefined ? 0 : this.#clock.elapsed() - this.#reachedAt);
  }

  /** Everything that Firehose sent up to here has been read. */
  reach(through: number): void {
    this.position = { ...this.position, through };
    this.#reachedAt = this.#clock.elapsed();
  }

  /** Nothing that was matched up to here is missing, except in gaps. */
  get completeThrough(): Date {
    return new Date(this.position.through - FIREHOSE_DELAY_MS);
  }

  cursor(): string {
    return writePosition(this.position);
  }

  mark(): StreamItem {
    return { kind: 'mark', cursor: this.cursor(), through: this.completeThrough };
  }

  /** The item for a state, if the state differs from the last one. */
  tell(state: StreamState, reason?: string): StreamItem[] {
    const words = `${state} ${reason ?? ''}`;
    if (words === this.#told) return [];
    this.#told = words;
    return [{ kind: 'state', state, ...(reason === undefined ? {} : { reason }) }];
  }

  /** Opens a gap, unless one is open; one that is open becomes unrecoverable if this one is. */
  openGap(cause: string, recoverable: boolean, from = this.completeThrough): StreamItem[] {
    const open = this.#gap;
    this.#gap =
      open === undefined ? { from, cause, recoverable } : { ...open, recoverable: open.recoverable && recoverable };
    this.#suspect = this.#gap;
    return open === undefined ? [gapItem(this.#gap, undefined, false)] : [];
  }

  /** Closes the open gap at the position. */
  closeGap(): StreamItem[] {
    const gap = this.#gap;
    if (gap === undefined) return [];
    this.#gap = undefined;
    return [gapItem(gap, new Date(Math.max(this.position.through, gap.from.getTime())), gap.recoverable)];
  }

  /** The outage that just ended, until an event shows that nothing is missing from it. */
  get suspect(): OpenGap | undefined {
    return this.#suspect;
  }

  clearSuspect(): void {
    this.#suspect = undefined;
  }

  /** The last gap was taken for recovered, and is not. */
  reopenGap(): StreamItem[] {
    if (this.#suspect === undefined) return [];
    this.#gap = { ...this.#suspect, recoverable: false };
    return [gapItem(this.#gap, undefined, false)];
  }
}
