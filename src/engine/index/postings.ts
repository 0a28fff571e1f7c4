/**
 * Postings: for each anchor term, the rules worth a look when an event holds it. An entry is three integers:
 *
 *     rule       the program's ref; or ~(number << 1 | several) of a rule that anchor and witnesses already prove
 *     witnesses  two terms that the event must hold too (`ALWAYS` if there are none), or ~term: it must not
 *
 * Most candidates die on a witness, without anything of the rule being looked at. A list is a chain of blocks, all
 * full but the first. That one has the room its count asks for, up to `LARGEST`; then a new one is put before it, so
 * that no list is ever too long to be added to quickly.
 */
import { Arena, chunkOf, offsetOf, type Ref } from './arena.ts';

/** A block: entries held, next block, then the entries. */
export const BLOCK_HEADER = 2;
export const ENTRY = 3;
const LARGEST = 1024;

export class Postings {
  readonly arena = new Arena();

  /** Adds an entry to the list that begins at `head` (0: none yet), and returns where it begins now. */
  add(head: Ref, rule: number, [first, second]: readonly [number, number]): Ref {
    const held = head === 0 ? 0 : this.#count(head);
    const block = head === 0 || held === LARGEST ? this.#newBlock(1, head) : this.#resized(head, held + 1);
    const chunk = this.arena.chunks[chunkOf(block)]!;
    const at = offsetOf(block);
    const last = at + BLOCK_HEADER + (chunk[at]! - 1) * ENTRY;
    chunk[last] = rule;
    chunk[last + 1] = first;
    chunk[last + 2] = second;
    return block;
  }

  /** Takes one entry of a rule away, whichever of its two forms it has, and returns where the list begins now. */
  remove(head: Ref, rule: number, proven: number): Ref {
    const first = this.arena.chunks[chunkOf(head)]!;
    const held = this.#count(head);
    const last = offsetOf(head) + BLOCK_HEADER + (held - 1) * ENTRY;
    const [chunk, at] = this.#find(head, rule, proven);
    chunk[at] = first[last]!;
    chunk[at + 1] = first[last + 1]!;
    chunk[at + 2] = first[last + 2]!;
    if (held > 1) return this.#resized(head, held - 1);
    const next = first[offsetOf(head) + 1]!;
    this.arena.give(head, roomFor(1));
    return next;
  }

  #find(head: Ref, rule: number, proven: number): [Int32Array, number] {
    for (let block = head; block !== 0; ) {
      const chunk = this.arena.chunks[chunkOf(block)]!;
      const from = offsetOf(block) + BLOCK_HEADER;
      const end = from + chunk[from - BLOCK_HEADER]! * ENTRY;
      for (let at = from; at < end; at += ENTRY) {
        if (chunk[at] === rule || chunk[at] === proven) return [chunk, at];
      }
      block = chunk[from - 1]!;
    }
    throw new Error('a rule is not among the postings of its anchor');
  }

  #count(block: Ref): number {
    return this.arena.chunks[chunkOf(block)]![offsetOf(block)]!;
  }

  #newBlock(count: number, next: Ref): Ref {
    const block = this.arena.take(roomFor(count));
    const chunk = this.arena.chunks[chunkOf(block)]!;
    chunk[offsetOf(block)] = count;
    chunk[offsetOf(block) + 1] = next;
    return block;
  }

  /** The block with another count: the same one, or one that has the right room. */
  #resized(block: Ref, count: number): Ref {
    const chunk = this.arena.chunks[chunkOf(block)]!;
    const at = offsetOf(block);
    const held = chunk[at]!;
    const room = roomFor(held);
    chunk[at] = count;
    if (room === roomFor(count)) return block;
    const moved = this.#newBlock(count, chunk[at + 1]!);
    const entries = chunk.subarray(at + BLOCK_HEADER, at + BLOCK_HEADER + Math.min(held, count) * ENTRY);
    this.arena.chunks[chunkOf(moved)]!.set(entries, offsetOf(moved) + BLOCK_HEADER);
    this.arena.give(block, room);
    return moved;
  }
}

/** For the next power of two. */
const roomFor = (count: number): number => BLOCK_HEADER + ENTRY * (1 << (32 - Math.clz32(count - 1)));
