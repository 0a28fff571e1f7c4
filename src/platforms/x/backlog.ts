/**
 * Stands between the reader, which never waits, and the consumer, which may be slow: X closes a connection whose reader
 * is slow. What does not fit in memory waits in a file. Order is kept: the consumer takes from memory first, then from
 * the file, then what is about to be written there.
 */
import type { Clock } from '../../base/clock.ts';
import { createWakeUp, type WakeUp } from '../../base/wake-up.ts';
import { type BacklogEntry, readEntries, type Spill, sizeOf, writeEntries } from './spill.ts';

export interface BacklogLimits {
  readonly records: number;
  readonly bytes: number;
  /** How many bytes are written to the file at once. */
  readonly block: number;
}

const LIMITS: BacklogLimits = { records: 50_000, bytes: 64 * 1024 * 1024, block: 256 * 1024 };

interface BacklogOptions {
  readonly spill: Spill;
  readonly clock: Clock;
  /** Called for each record that is written to the file. */
  readonly count: () => void;
  readonly limits?: BacklogLimits;
}

export class Backlog {
  readonly #spill: Spill;
  readonly #count: () => void;
  readonly #limits: BacklogLimits;
  readonly #wakeUp: WakeUp;
  readonly #emptied: WakeUp;
  #head = new EntryList();
  #tail = new EntryList();
  /** Blocks in the file. */
  #spilled = 0;

  constructor({ spill, clock, count, limits = LIMITS }: BacklogOptions) {
    this.#spill = spill;
    this.#count = count;
    this.#limits = limits;
    this.#wakeUp = createWakeUp(clock);
    this.#emptied = createWakeUp(clock);
  }

  /** False if neither memory nor the disk has room: the record was not taken. Entries of other kinds are always taken. */
  push(entry: BacklogEntry): boolean {
    if (this.#hasRoom) {
      this.#head.push(entry);
    } else {
      if (this.#tail.bytes >= this.#limits.block && !this.#flush() && entry.kind === 'record') return false;
      this.#tail.push(entry);
    }
    this.#wakeUp.wake();
    return true;
  }

  /** Waits for the oldest entry and removes it; undefined if the signal aborts. */
  async take(signal: AbortSignal): Promise<BacklogEntry | undefined> {
    while (!signal.aborted) {
      if (this.#head.length === 0) this.#refill();
      const entry = this.#head.shift();
      if (entry !== undefined) return entry;
      this.#emptied.wake();
      await this.#wakeUp.sleep(Number.POSITIVE_INFINITY, signal);
    }
    return undefined;
  }

  /** Resolves when the consumer waits for more, or the signal aborts. One caller may wait at a time. */
  async drained(signal: AbortSignal): Promise<void> {
    while (!this.#isEmpty && !signal.aborted) await this.#emptied.sleep(Number.POSITIVE_INFINITY, signal);
  }

  close(): void {
    this.#spill.close();
  }

  get #isEmpty(): boolean {
    return this.#head.length + this.#tail.length + this.#spilled === 0;
  }

  get #hasRoom(): boolean {
    const { records, bytes } = this.#limits;
    return this.#spilled === 0 && this.#tail.length === 0 && this.#head.length < records && this.#head.bytes < bytes;
  }

  /** Writes the tail to the file; false if the disk refuses it. */
  #flush(): boolean {
    const entries = this.#tail.toArray();
    if (!this.#spill.write(writeEntries(entries))) return false;
    for (const { kind } of entries) if (kind === 'record') this.#count();
    this.#spilled++;
    this.#tail = new EntryList();
    return true;
  }

  /** Moves the oldest entries that are not in the head to the head. */
  #refill(): void {
    const block = this.#spilled > 0 ? this.#spill.read() : undefined;
    if (block !== undefined) {
      this.#spilled--;
      this.#head = new EntryList(readEntries(block));
    } else {
      this.#head = this.#tail;
      this.#tail = new EntryList();
    }
  }
}

/** Places are freed after this many entries were taken: removing the first of a long list moves all others. */
const FREE_AFTER = 1_000;

/** A list of entries that is filled at its end and taken from its beginning, and knows what it weighs. */
export class EntryList {
  #entries: BacklogEntry[];
  #first = 0;
  #bytes = 0;

  constructor(entries: BacklogEntry[] = []) {
    this.#entries = entries;
    for (const entry of entries) this.#bytes += sizeOf(entry);
  }

  get length(): number {
    return this.#entries.length - this.#first;
  }

  get bytes(): number {
    return this.#bytes;
  }

  push(entry: BacklogEntry): void {
    this.#entries.push(entry);
    this.#bytes += sizeOf(entry);
  }

  shift(): BacklogEntry | undefined {
    const entry = this.#entries[this.#first];
    if (entry === undefined) return undefined;
    this.#first++;
    this.#bytes -= sizeOf(entry);
    if (this.#first > FREE_AFTER && this.#first * 2 > this.#entries.length) {
      this.#entries = this.#entries.slice(this.#first);
      this.#first = 0;
    }
    return entry;
  }

  /** The entries, oldest first. */
  toArray(): BacklogEntry[] {
    return this.#entries.slice(this.#first);
  }
}
