/**
 * The compiled form of a query: a tree in prefix order, one integer a node, negations pushed down to the leaves.
 *
 *     node   payload << 4 | anchor << 3 | kind
 *     TERM, ABSENT      payload: the term that must, or must not, be there
 *     TEST, FAIL        payload: the number of a predicate that must, or must not, hold
 *     ALL, ANY          payload: the length of the nodes below; ALL of nothing holds, ANY of nothing does not
 *     PHRASE            payload: the length of the body: form, number of terms, the terms (as TERM nodes), then
 *                       their offsets if the form says so, or the literal's lead, length and characters
 *
 * A program in the arena has a header before its root: rule number << 2, with the flags `SEVERAL` and `SLOW`. `anchor`
 * marks the leaves whose postings hold the rule.
 */
/** The rule has several anchors, so one event may lead to it more than once. */
export const SEVERAL = 1;
/** The rule has no anchor. */
export const SLOW = 2;
export const PROGRAM_HEADER = 1;

export const TERM = 0;
export const ABSENT = 1;
export const TEST = 2;
export const FAIL = 3;
export const ALL = 4;
export const ANY = 5;
export const PHRASE = 6;

export const KIND = 7;
export const ANCHOR = 8;
const PAYLOAD_SHIFT = 4;

export const node = (kind: number, payload: number): number => (payload << PAYLOAD_SHIFT) | kind;
export const payloadOf = (code: number): number => code >>> PAYLOAD_SHIFT;

/** Forms of a phrase: slop << 4 with these flags. */
export const NEGATED = 1;
/** The terms stand at the offsets that follow, not just one after another. */
export const SPREAD = 2;
/** The words must stand with one blank between them; with `WRITTEN`, in just the characters that follow. */
export const LITERAL = 4;
export const WRITTEN = 8;
export const SLOP_SHIFT = 4;
/** More than any two positions can differ by. */
export const MAX_SLOP = (1 << 26) - 1;

/** The terms of a phrase begin here in its body. */
export const PHRASE_TERMS = 3;

/** Integers that the node at `at` takes, with all below it. */
export function nodeLength(code: Int32Array, at: number): number {
  const kind = code[at]! & KIND;
  return kind < ALL ? 1 : 1 + payloadOf(code[at]!);
}

/** Calls `visit` with the place of every leaf that names a term or a predicate. */
export function eachLeaf(code: Int32Array, at: number, visit: (at: number) => void): void {
  const end = at + nodeLength(code, at);
  for (let place = at; place < end; ) {
    const kind = code[place]! & KIND;
    if (kind < ALL) visit(place++);
    else if (kind !== PHRASE) place++;
    else {
      const terms = place + PHRASE_TERMS;
      for (let term = terms; term < terms + code[place + 2]!; term++) visit(term);
      place += nodeLength(code, place);
    }
  }
}

/** The term that every event holds. It has no text. */
export const ALWAYS = 0;
/** The numbers below this are not words but pairs of neighbours, many pairs to a number: see `pairOf`. */
const PAIR_BITS = 13;
export const FIRST_TERM = 1 << PAIR_BITS;

/**
 * The number that stands for two terms side by side. An event that has it may have them so; one that has not does not.
 * It may be `ALWAYS`, which then says nothing.
 */
export const pairOf = (first: number, second: number): number =>
  Math.imul(Math.imul(first, 0x9e3779b1) ^ second, 0x85ebca6b) >>> (32 - PAIR_BITS);
