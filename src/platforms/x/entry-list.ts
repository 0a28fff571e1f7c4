/** A list of entries that is filled at its end and taken from its beginning, and knows what it weighs. */
import { type BacklogEntry, sizeOf } from './backlog-entry.ts';

/** Places are freed after this many entries were taken: removing the first of a long list moves all others. */
const FREE_AFTER = 1_000;

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
