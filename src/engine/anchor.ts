/**
 * Which postings a rule goes into. Every event that a rule matches must hold one of its anchors, so the cheapest such set
 * is chosen: below `all` one part is enough, below `any` every part needs one. With each anchor goes a witness, another
 * term that the same event must hold (or must not): candidates without it are never evaluated.
 *
 * All this reads the program, not the query, so that it can be done again when words become more or less common.
 */
import { eachPart } from './compile.ts';
import { ALWAYS, pairOf } from './dictionary.ts';
import {
  ABSENT,
  ALL,
  ANCHOR,
  ANY,
  KIND,
  NEGATED,
  PHRASE,
  PHRASE_TERMS,
  payloadOf,
  SLOP_SHIFT,
  SPREAD,
  TERM,
  TEST,
} from './program.ts';

/** What planning asks of the index. */
export interface Statistics {
  share(term: number): number;
  /** The share of events that a predicate's index offers it to, or undefined when it has none: it is no anchor. */
  predicateShare(predicate: number): number | undefined;
}

export interface Anchor {
  /** Where the leaf stands in the program. */
  readonly leaf: number;
  readonly witness: number;
  /** Anchor and witness together are all that the rule asks. */
  readonly proves: boolean;
}

/** In the time of reading one entry of postings: what a look at a rule costs, and trying a pattern. */
const EVALUATE = 40;
const TRY_PATTERN = 200;
/** How often two words of an event stand side by side, as a guess. */
const PAIR_SHARE = 0.05;

interface Witness {
  readonly term: number;
  readonly share: number;
  /** The leaf it comes from. */
  readonly leaf: number;
}
const NO_WITNESS: Witness = { term: ALWAYS, share: 1, leaf: -1 };

/** The anchors of the program at `at`, or undefined when no set of them would do. */
export function planAnchors(code: Int32Array, at: number, statistics: Statistics): Anchor[] | undefined {
  if (costOf(code, at, statistics) === Number.POSITIVE_INFINITY) return undefined;
  const anchors: Anchor[] = [];
  choose(code, at, NO_WITNESS, true, statistics, anchors);
  return anchors;
}

/** What having the program in the index costs per event, in entries read; infinite when it has no anchor. */
export const costOf = (code: Int32Array, at: number, statistics: Statistics): number => cost(code, at, 1, statistics);

/** What the anchors marked in a program cost as things stand now. */
export function costOfMarked(code: Int32Array, at: number, statistics: Statistics): number {
  return markedCost(code, at, 1, statistics);
}

const price = (share: number, witnessShare: number) => share * (1 + witnessShare * EVALUATE);

function cost(code: Int32Array, at: number, witnessShare: number, statistics: Statistics): number {
  switch (code[at]! & KIND) {
    case TERM:
      return price(statistics.share(payloadOf(code[at]!)), witnessShare);
    case TEST: {
      const share = statistics.predicateShare(payloadOf(code[at]!));
      return share === undefined ? Number.POSITIVE_INFINITY : price(share, witnessShare) + share * TRY_PATTERN;
    }
    case PHRASE: {
      if ((code[at + 1]! & NEGATED) !== 0) return Number.POSITIVE_INFINITY;
      const [rarest, beside] = rarestOf(code, at, statistics);
      return price(rarest.share, Math.min(witnessShare, beside.share));
    }
    case ALL:
      return cheapestPart(code, at, { ...NO_WITNESS, share: witnessShare }, statistics).cost;
    case ANY: {
      let sum = 0;
      eachPart(code, at, (part) => {
        sum += cost(code, part, witnessShare, statistics);
      });
      return sum;
    }
    default:
      return Number.POSITIVE_INFINITY;
  }
}

function markedCost(code: Int32Array, at: number, witnessShare: number, statistics: Statistics): number {
  const kind = code[at]! & KIND;
  if (kind === ALL || kind === ANY) {
    let sum = 0;
    const [first, second] = kind === ALL ? witnessesOf(code, at, statistics) : [NO_WITNESS, NO_WITNESS];
    eachPart(code, at, (part) => {
      const other = first.leaf === part ? second : first;
      sum += markedCost(code, part, Math.min(witnessShare, other.share), statistics);
    });
    return sum;
  }
  return isMarked(code, at) ? markedLeafCost(code, at, witnessShare, statistics) : 0;
}

function isMarked(code: Int32Array, at: number): boolean {
  if ((code[at]! & KIND) !== PHRASE) return (code[at]! & ANCHOR) !== 0;
  return markedTermOf(code, at) >= 0;
}

function markedTermOf(code: Int32Array, phrase: number): number {
  const terms = phrase + PHRASE_TERMS;
  for (let term = terms; term < terms + code[phrase + 2]!; term++) if ((code[term]! & ANCHOR) !== 0) return term;
  return -1;
}

function markedLeafCost(code: Int32Array, at: number, witnessShare: number, statistics: Statistics): number {
  if ((code[at]! & KIND) !== PHRASE) return cost(code, at, witnessShare, statistics);
  const anchor = markedTermOf(code, at);
  const beside = besideOf(code, at, anchor, statistics);
  return price(statistics.share(payloadOf(code[anchor]!)), Math.min(witnessShare, beside.share));
}

function choose(
  code: Int32Array,
  at: number,
  witness: Witness,
  complete: boolean,
  statistics: Statistics,
  into: Anchor[],
): void {
  switch (code[at]! & KIND) {
    case ANY:
      eachPart(code, at, (part) => choose(code, part, witness, complete, statistics, into));
      return;
    case ALL: {
      const { part, count, other } = cheapestPart(code, at, witness, statistics);
      if (count === 1) choose(code, part, witness, complete, statistics, into);
      else choose(code, part, other, complete && isCovered(code, part, count, witness, other), statistics, into);
      return;
    }
    case PHRASE: {
      const [rarest, beside] = rarestOf(code, at, statistics);
      into.push({ leaf: rarest.leaf, witness: rarer(beside, witness).term, proves: false });
      return;
    }
    default:
      into.push({ leaf: at, witness: witness.term, proves: complete && (code[at]! & KIND) === TERM });
  }
}

/** Whether a chosen part and the witness are all there is: one other part, and the witness is that part. */
function isCovered(code: Int32Array, part: number, count: number, inherited: Witness, other: Witness): boolean {
  if (count !== 2 || inherited.term !== ALWAYS || other.leaf < 0 || other.leaf === part) return false;
  const kind = code[other.leaf]! & KIND;
  return kind === TERM || kind === ABSENT;
}

interface CheapestPart {
  readonly part: number;
  readonly cost: number;
  /** The best witness that is not in the part itself. */
  readonly other: Witness;
  readonly count: number;
}

function cheapestPart(code: Int32Array, at: number, inherited: Witness, statistics: Statistics): CheapestPart {
  const [first, second] = witnessesOf(code, at, statistics);
  let best: CheapestPart = { part: -1, cost: Number.POSITIVE_INFINITY, other: NO_WITNESS, count: 0 };
  let count = 0;
  eachPart(code, at, (part) => {
    count++;
    const other = rarer(first.leaf === part ? second : first, inherited);
    const partCost = cost(code, part, other.share, statistics);
    if (partCost < best.cost) best = { part, cost: partCost, other, count };
  });
  return { ...best, count };
}

const rarer = (a: Witness, b: Witness): Witness => (b.share < a.share ? b : a);

/** The two best witnesses among the parts of an `all`. A phrase gives its rarest word. */
function witnessesOf(code: Int32Array, at: number, statistics: Statistics): [Witness, Witness] {
  let first = NO_WITNESS;
  let second = NO_WITNESS;
  eachPart(code, at, (part) => {
    const witness = witnessOf(code, part, statistics);
    if (witness.share < first.share) [first, second] = [witness, first];
    else if (witness.share < second.share) second = witness;
  });
  return [first, second];
}

function witnessOf(code: Int32Array, part: number, statistics: Statistics): Witness {
  const term = payloadOf(code[part]!);
  switch (code[part]! & KIND) {
    case TERM:
      return { term, share: statistics.share(term), leaf: part };
    case ABSENT:
      return { term: ~term, share: 1 - statistics.share(term), leaf: part };
    case PHRASE: {
      if ((code[part + 1]! & NEGATED) !== 0) return NO_WITNESS;
      const [rarest, beside] = rarestOf(code, part, statistics);
      const { term: witness } = beside.share <= PAIR_SHARE ? beside : rarest;
      return { term: witness, share: rarest.share * beside.share, leaf: part };
    }
    default:
      return NO_WITNESS;
  }
}

/** The rarest word of a phrase, and the witness to go with it. */
function rarestOf(code: Int32Array, phrase: number, statistics: Statistics): [Witness, Witness] {
  const terms = phrase + PHRASE_TERMS;
  let rarest = NO_WITNESS;
  for (let leaf = terms; leaf < terms + code[phrase + 2]!; leaf++) {
    const share = statistics.share(payloadOf(code[leaf]!));
    if (rarest.leaf < 0 || share < rarest.share) rarest = { term: payloadOf(code[leaf]!), share, leaf };
  }
  return [rarest, besideOf(code, phrase, rarest.leaf, statistics)];
}

/** A word beside the anchor of a phrase, as a pair with it; in a loose phrase any other word, the rarest. */
function besideOf(code: Int32Array, phrase: number, anchor: number, statistics: Statistics): Witness {
  const terms = phrase + PHRASE_TERMS;
  const end = terms + code[phrase + 2]!;
  if (end === terms + 1) return NO_WITNESS;
  const form = code[phrase + 1]!;
  if ((form & SPREAD) === 0 && form >>> SLOP_SHIFT === 0) {
    const first = anchor + 1 < end ? anchor : anchor - 1;
    const term = pairOf(payloadOf(code[first]!), payloadOf(code[first + 1]!));
    return { term, share: PAIR_SHARE, leaf: phrase };
  }
  let rarest = NO_WITNESS;
  for (let leaf = terms; leaf < end; leaf++) {
    const term = payloadOf(code[leaf]!);
    if (leaf !== anchor && statistics.share(term) < rarest.share)
      rarest = { term, share: statistics.share(term), leaf };
  }
  return rarest;
}
