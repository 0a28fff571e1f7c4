/**
 * The rules that an event's postings lead to. They are gathered first and looked at afterwards: within each loop no step
 * waits for the one before it, so that the processor fetches many rules from memory at a time.
 */
import { type Arena, chunkOf, offsetOf, type Ref } from './arena.ts';
import { BLOCK_HEADER, ENTRY } from './postings.ts';

export class Candidates {
  /** Entries of postings that their witnesses let through. */
  entries = new Int32Array(1024);
  count = 0;

  /** Adds what a list of postings has for an event that holds the terms in `bits`. */
  gather({ chunks }: Arena, head: Ref, bits: Int32Array): void {
    for (let block = head; block !== 0; ) {
      const chunk = chunks[chunkOf(block)]!;
      const from = offsetOf(block) + BLOCK_HEADER;
      const held = chunk[from - BLOCK_HEADER]!;
      if (this.count + held > this.entries.length) this.#widen(held);
      this.#pass(chunk, from, from + held * ENTRY, bits);
      block = chunk[from - 1]!;
    }
  }

  /** Every entry is written and every other one overwritten: a branch would be guessed wrong too often. */
  #pass(chunk: Int32Array, from: number, end: number, bits: Int32Array): void {
    const { entries } = this;
    let { count } = this;
    for (let at = from; at < end; at += ENTRY) {
      const first = chunk[at + 1]!;
      const second = chunk[at + 2]!;
      const firstTerm = first ^ (first >> 31);
      const secondTerm = second ^ (second >> 31);
      const firstHolds = (bits[firstTerm >>> 5]! >>> (firstTerm & 31)) ^ (first >>> 31);
      const secondHolds = (bits[secondTerm >>> 5]! >>> (secondTerm & 31)) ^ (second >>> 31);
      entries[count] = chunk[at]!;
      count += firstHolds & secondHolds & 1;
    }
    this.count = count;
  }

  #widen(more: number): void {
    const wider = new Int32Array((this.count + more) * 2);
    wider.set(this.entries);
    this.entries = wider;
  }
}
