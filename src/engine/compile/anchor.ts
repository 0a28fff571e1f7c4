/**
 * Plans which postings a rule goes into. Every event that a rule matches must hold one of its anchors, so the cheapest such set
 * is chosen: below `all` one part is enough, below `any` every part needs one. With each anchor go two witnesses, other
 * terms that the same event must hold (or must not): candidates without them are never evaluated, and where anchor and
 * witnesses are all that a rule asks, neither are those with them.
 *
 * All this reads the program, not the query, so that it can be done again when words become more or less common.
 */
import { eachPart } from './compiler.ts';
import {
  ABSENT,
  ALL,
  ALWAYS,
  ANCHOR,
  ANY,
  KIND,
  NEGATED,
  nodeLength,
  PHRASE,
  PHRASE_TERMS,
  pairOf,
  payloadOf,
  SLOP_SHIFT,
  SPREAD,
  TERM,
  TEST,
} from './program.ts';

/** Planning asks these of the index. */
export interface Statistics {
  share(term: number): number;
  /** The share of events that a predicate's index offers it to, or undefined when it has none: it is no anchor. */
  predicateShare(predicate: number): number | undefined;
}

export interface Anchor {
  /** The leaf stands here in the program. */
  readonly leaf: number;
  /** Terms, or ~terms that must be absent; `ALWAYS` where there is none. */
  readonly witnesses: readonly [number, number];
  /** Anchor and witnesses together are all that the rule asks. */
  readonly proves: boolean;
}

/** In the time of reading one entry of postings: what a look at a rule costs, and trying a pattern. */
const EVALUATE = 40;
const TRY_PATTERN = 200;
/** How often two words of an event stand side by side, as a guess. */
const PAIR_SHARE = 0.05;
const WITNESSES = 2;

interface Witness {
  readonly term: number;
  readonly share: number;
  /** The leaf or phrase it comes from. */
  readonly leaf: number;
}

/** The best witnesses that the parts around a node offer, the rarest first. */
type Around = readonly Witness[];
const NOTHING_AROUND: Around = [];

/** The anchors of the program at `at`, or undefined when no set of them would do. */
export function planAnchors(code: Int32Array, at: number, statistics: Statistics): Anchor[] | undefined {
  const anchors: Anchor[] = [];
  return choose(code, at, NOTHING_AROUND, true, statistics, anchors) ? anchors : undefined;
}

/** Answers what having the program in the index costs per event, in entries read; infinite when it has no anchor. */
export const costOf = (code: Int32Array, at: number, statistics: Statistics): number =>
  cost(code, at, NOTHING_AROUND, statistics);

/** Answers what the anchors marked in a program cost as things stand now. */
export const costOfMarked = (code: Int32Array, at: number, statistics: Statistics): number =>
  markedCost(code, at, NOTHING_AROUND, statistics);

function price(share: number, around: Around): number {
  let passing = EVALUATE;
  for (const witness of around) passing *= witness.share;
  return share * (1 + passing);
}

function cost(code: Int32Array, at: number, around: Around, statistics: Statistics): number {
  switch (code[at]! & KIND) {
    case TERM:
      return price(statistics.share(payloadOf(code[at]!)), around);
    case TEST: {
      const share = statistics.predicateShare(payloadOf(code[at]!));
      return share === undefined ? Number.POSITIVE_INFINITY : price(share, around) + share * TRY_PATTERN;
    }
    case PHRASE: {
      if ((code[at + 1]! & NEGATED) !== 0) return Number.POSITIVE_INFINITY;
      const rarest = rarestOf(code, at, statistics);
      return price(rarest.share, insidePhrase(code, at, rarest.leaf, around, statistics));
    }
    case ALL:
      return cheapestPart(code, at, around, statistics).cost;
    case ANY: {
      let sum = 0;
      for (let part = at + 1; part < at + nodeLength(code, at); part += nodeLength(code, part)) {
        sum += cost(code, part, around, statistics);
      }
      return sum;
    }
    default:
      return Number.POSITIVE_INFINITY;
  }
}

function markedCost(code: Int32Array, at: number, around: Around, statistics: Statistics): number {
  const kind = code[at]! & KIND;
  if (kind === ALL || kind === ANY) {
    const offered = kind === ALL ? witnessesIn(code, at, statistics) : [];
    let sum = 0;
    eachPart(code, at, (part) => {
      sum += markedCost(code, part, beside(offered, part, around), statistics);
    });
    return sum;
  }
  if (kind !== PHRASE) return (code[at]! & ANCHOR) === 0 ? 0 : cost(code, at, around, statistics);
  const anchor = markedTermOf(code, at);
  if (anchor < 0) return 0;
  const share = statistics.share(payloadOf(code[anchor]!));
  return price(share, insidePhrase(code, at, anchor, around, statistics));
}

function markedTermOf(code: Int32Array, phrase: number): number {
  const terms = phrase + PHRASE_TERMS;
  for (let term = terms; term < terms + code[phrase + 2]!; term++) if ((code[term]! & ANCHOR) !== 0) return term;
  return -1;
}

/**
 * Adds the cheapest anchors of a node; false when it has none. `complete` says that what is around the node is all told
 * by its witnesses.
 */
function choose(
  code: Int32Array,
  at: number,
  around: Around,
  complete: boolean,
  statistics: Statistics,
  into: Anchor[],
): boolean {
  switch (code[at]! & KIND) {
    case ANY: {
      let every = true;
      for (let part = at + 1; part < at + nodeLength(code, at); part += nodeLength(code, part))
        every &&= choose(code, part, around, complete, statistics, into);
      return every;
    }
    case ALL: {
      const { part, cost: least, around: besides } = cheapestPart(code, at, around, statistics);
      if (least === Number.POSITIVE_INFINITY) return false;
      return choose(code, part, besides, complete && isTold(code, at, part, around), statistics, into);
    }
    case PHRASE: {
      if ((code[at + 1]! & NEGATED) !== 0) return false;
      const { leaf } = rarestOf(code, at, statistics);
      into.push({ leaf, witnesses: termsOf(insidePhrase(code, at, leaf, around, statistics)), proves: false });
      return true;
    }
    case TERM:
      into.push({ leaf: at, witnesses: termsOf(around), proves: complete });
      return true;
    case TEST:
      if (statistics.predicateShare(payloadOf(code[at]!)) === undefined) return false;
      into.push({ leaf: at, witnesses: termsOf(around), proves: false });
      return true;
    default:
      return false;
  }
}

const termsOf = (around: Around): Anchor['witnesses'] => [around[0]?.term ?? ALWAYS, around[1]?.term ?? ALWAYS];

interface Cheapest {
  readonly part: number;
  readonly cost: number;
  readonly around: Around;
}

function cheapestPart(code: Int32Array, at: number, around: Around, statistics: Statistics): Cheapest {
  const offered = witnessesIn(code, at, statistics);
  let best: Cheapest = { part: -1, cost: Number.POSITIVE_INFINITY, around };
  for (let part = at + 1; part < at + nodeLength(code, at); part += nodeLength(code, part)) {
    const besides = beside(offered, part, around);
    const partCost = cost(code, part, besides, statistics);
    if (partCost < best.cost) best = { part, cost: partCost, around: besides };
  }
  return best;
}

/** Finds what is around one part of an `all`: what is around the whole, and the other parts. */
function beside(offered: readonly Witness[], part: number, around: Around): Around {
  const others: Witness[] = [];
  for (const witness of offered) {
    if (witness.leaf !== part) others.push(witness);
    if (others.length === WITNESSES) break;
  }
  return around.length === 0 ? others : rarestFirst([...around, ...others]).slice(0, WITNESSES);
}

/** Whether the witnesses have room for all that the other parts of an `all` ask, and these ask for nothing but words. */
function isTold(code: Int32Array, at: number, part: number, around: Around): boolean {
  let asked = around.length;
  let onlyWords = true;
  for (let other = at + 1; other < at + nodeLength(code, at); other += nodeLength(code, other)) {
    if (other === part) continue;
    asked++;
    onlyWords &&= (code[other]! & KIND) <= ABSENT;
  }
  return onlyWords && asked <= WITNESSES;
}

const FEW = 16;

/** Few are put in order here: a sort by the library takes several times as long. */
function rarestFirst(witnesses: Witness[]): Witness[] {
  if (witnesses.length > FEW) return witnesses.toSorted((a, b) => a.share - b.share);
  for (let next = 1; next < witnesses.length; next++) {
    const witness = witnesses[next]!;
    let to = next;
    for (; to > 0 && witnesses[to - 1]!.share > witness.share; to--) witnesses[to] = witnesses[to - 1]!;
    witnesses[to] = witness;
  }
  return witnesses;
}

/** The witnesses that the parts of an `all` offer, at most one each, the rarest first. */
function witnessesIn(code: Int32Array, at: number, statistics: Statistics): Witness[] {
  const offered: Witness[] = [];
  for (let part = at + 1; part < at + nodeLength(code, at); part += nodeLength(code, part)) {
    const term = payloadOf(code[part]!);
    const kind = code[part]! & KIND;
    if (kind === TERM) offered.push({ term, share: statistics.share(term), leaf: part });
    else if (kind === ABSENT) offered.push({ term: ~term, share: 1 - statistics.share(term), leaf: part });
    else if (kind === PHRASE && (code[part + 1]! & NEGATED) === 0) {
      const one = rarestOf(code, part, statistics);
      const pair = isTight(code, part) ? pairBeside(code, part, one.leaf) : one.term;
      offered.push({ term: pair, share: one.share * PAIR_SHARE, leaf: part });
    }
  }
  return rarestFirst(offered);
}

/** Finds what is around one word of a phrase: its neighbour, as a pair with it; in a loose phrase the rarest other word. */
function insidePhrase(code: Int32Array, at: number, anchor: number, around: Around, statistics: Statistics): Around {
  if (code[at + 2] === 1) return around;
  const within = isTight(code, at)
    ? { term: pairBeside(code, at, anchor), share: PAIR_SHARE, leaf: at }
    : rarestOf(code, at, statistics, anchor);
  return around.length === 0 ? [within] : rarestFirst([...around, within]).slice(0, WITNESSES);
}

/** Whether the words of a phrase must stand side by side. */
const isTight = (code: Int32Array, phrase: number): boolean =>
  code[phrase + 2]! > 1 && (code[phrase + 1]! & SPREAD) === 0 && code[phrase + 1]! >>> SLOP_SHIFT === 0;

function pairBeside(code: Int32Array, phrase: number, anchor: number): number {
  const end = phrase + PHRASE_TERMS + code[phrase + 2]!;
  const first = anchor + 1 < end ? anchor : anchor - 1;
  return pairOf(payloadOf(code[first]!), payloadOf(code[first + 1]!));
}

/** The rarest word of a phrase, not counting the one at `but`. */
function rarestOf(code: Int32Array, phrase: number, statistics: Statistics, but = -1): Witness {
  const terms = phrase + PHRASE_TERMS;
  let found: Witness = { term: ALWAYS, share: Number.POSITIVE_INFINITY, leaf: -1 };
  for (let leaf = terms; leaf < terms + code[phrase + 2]!; leaf++) {
    const term = payloadOf(code[leaf]!);
    const share = statistics.share(term);
    if (leaf !== but && share < found.share) found = { term, share, leaf };
  }
  return found;
}
