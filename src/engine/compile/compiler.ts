/**
 * Makes the program of a query. Parts are put in the order in which they are likely to decide it: below `all`
 * the rarest first, below `any` the most common, and words before phrases before everything else.
 */
import type { Predicate, Query } from '../../rules/query.ts';
import {
  ABSENT,
  ALL,
  ANY,
  FAIL,
  KIND,
  LITERAL,
  MAX_SLOP,
  NEGATED,
  node,
  nodeLength,
  PHRASE,
  PHRASE_TERMS,
  payloadOf,
  SLOP_SHIFT,
  SPREAD,
  TERM,
  TEST,
  WRITTEN,
} from './program.ts';
import type { Tested } from './shared-predicate.ts';

/** A compiler asks these of the index: numbers for terms and predicates, each used once more, and what is known of them. */
export interface Vocabulary {
  useTerm(field: string, text: string): number;
  usePredicate(predicate: Tested): number;
  /** The share of events that hold the term. */
  share(term: number): number;
  /** A text as it stands in programs, and its length as events are measured. */
  encode(text: string): { readonly length: number; readonly packed: Int32Array };
}

export class Compiler {
  /** The program made last; valid until the next. */
  code = new Int32Array(256);
  length = 0;
  readonly #vocabulary: Vocabulary;
  readonly #share: Share;

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary;
    this.#share = (term) => vocabulary.share(term);
  }

  compile(query: Query): void {
    this.length = 0;
    this.#add(query, false);
  }

  #add(query: Query, negated: boolean): void {
    switch (query.kind) {
      case 'all':
      case 'any':
        this.#addJoin((query.kind === 'all') === negated ? ANY : ALL, query.of, negated);
        break;
      case 'not':
        this.#add(query.query, !negated);
        break;
      case 'everything':
        this.#addConstant(!negated);
        break;
      case 'nothing':
      case 'upstream':
        this.#addConstant(negated);
        break;
      case 'term':
        this.#push(node(negated ? ABSENT : TERM, this.#vocabulary.useTerm(query.field, query.term)));
        break;
      case 'phrase':
        this.#addPhrase(query, negated);
        break;
      case 'literal':
        this.#addLiteral(query, negated);
        break;
      case 'contains':
      case 'prefix':
      case 'wildcard':
      case 'regex':
      case 'fuzzy':
      case 'range':
      case 'number':
      case 'exists':
      case 'circle':
      case 'box':
      case 'sample':
      case 'recent':
        this.#addTest(query, negated);
    }
  }

  #addConstant(holds: boolean): void {
    this.#push(node(holds ? ALL : ANY, 0));
  }

  #addTest(predicate: Tested, negated: boolean): void {
    this.#push(node(negated ? FAIL : TEST, this.#vocabulary.usePredicate(predicate)));
  }

  #addJoin(kind: number, parts: readonly Query[], negated: boolean): void {
    const at = this.length;
    this.#push(0);
    for (const part of parts) this.#add(part, negated);
    this.code[at] = node(kind, this.length - at - 1);
    if (parts.length > 1) sortParts(this.code, at, this.#share);
  }

  #addPhrase({ field, terms, slop }: Extract<Predicate, { kind: 'phrase' }>, negated: boolean): void {
    const offsets = [...terms.keys()].filter((offset) => terms[offset] !== null);
    const words = offsets.map((offset) => terms[offset]!);
    // Nothing asked for is found nowhere.
    if (words.length === 0) {
      this.#addConstant(negated);
      return;
    }
    const spread = words.length < terms.length ? SPREAD : 0;
    const form = (Math.min(slop, MAX_SLOP) << SLOP_SHIFT) | spread | (negated ? NEGATED : 0);
    this.#addBody(form, field, words, () => {
      if (spread !== 0) for (const offset of offsets) this.#push(offset);
    });
  }

  #addLiteral(literal: Extract<Predicate, { kind: 'literal' }>, negated: boolean): void {
    const { field, text, terms } = literal;
    const lead = terms.length === 0 ? -1 : text.indexOf(terms[0]!);
    if (lead < 0) {
      this.#addTest(literal, negated);
      return;
    }
    const written = text === terms.join(' ') ? 0 : WRITTEN;
    this.#addBody(LITERAL | written | (negated ? NEGATED : 0), field, terms, () => {
      if (written === 0) return;
      const { length, packed } = this.#vocabulary.encode(text);
      this.#push(this.#vocabulary.encode(text.slice(0, lead)).length);
      this.#push(length);
      const at = this.length;
      this.#reserve(packed.length);
      this.code.set(packed, at);
    });
  }

  #addBody(form: number, field: string, terms: readonly string[], addRest: () => void): void {
    const at = this.length;
    this.#push(0);
    this.#push(form);
    this.#push(terms.length);
    for (const term of terms) this.#push(node(TERM, this.#vocabulary.useTerm(field, term)));
    addRest();
    this.code[at] = node(PHRASE, this.length - at - 1);
  }

  #push(code: number): void {
    this.#reserve(1);
    this.code[this.length - 1] = code;
  }

  #reserve(count: number): void {
    this.length += count;
    if (this.length <= this.code.length) return;
    const longer = new Int32Array(this.length * 2);
    longer.set(this.code);
    this.code = longer;
  }
}

type Share = (term: number) => number;

function sortParts(code: Int32Array, at: number, share: Share): void {
  const end = at + nodeLength(code, at);
  const sign = (code[at]! & KIND) === ALL ? 1 : -1;
  let count = 0;
  let inOrder = true;
  for (let from = at + 1; from < end; from += nodeLength(code, from)) {
    if (count === ranks.length) lengthenRanks();
    ranks[count] = weight(code, from) * 2 + sign * likelihood(code, from, share);
    inOrder &&= count === 0 || ranks[count - 1]! <= ranks[count]!;
    count++;
  }
  if (inOrder) return;
  // With as many parts as integers, every part is a single one.
  if (count === end - at - 1 && count <= FEW) sortFew(code, at + 1, count);
  else sortMany(code, at, end);
}

const FEW = 16;

/** The ranks of the parts of one join. Joins are sorted one after another, so all have the same. */
let ranks = new Float64Array(64);

function lengthenRanks(): void {
  const longer = new Float64Array(ranks.length * 2);
  longer.set(ranks);
  ranks = longer;
}

function sortFew(code: Int32Array, from: number, count: number): void {
  for (let next = 1; next < count; next++) {
    const rank = ranks[next]!;
    const part = code[from + next]!;
    let to = next;
    for (; to > 0 && ranks[to - 1]! > rank; to--) {
      ranks[to] = ranks[to - 1]!;
      code[from + to] = code[from + to - 1]!;
    }
    ranks[to] = rank;
    code[from + to] = part;
  }
}

function sortMany(code: Int32Array, at: number, end: number): void {
  const before = code.slice(at + 1, end);
  const parts: { from: number; to: number; rank: number }[] = [];
  for (let part = at + 1; part < end; part += nodeLength(code, part)) {
    const from = part - at - 1;
    parts.push({ from, to: from + nodeLength(code, part), rank: ranks[parts.length]! });
  }
  parts.sort((a, b) => a.rank - b.rank);
  let to = at + 1;
  for (const part of parts) for (let from = part.from; from < part.to; from++) code[to++] = before[from]!;
}

/** 0 for words alone, 1 with phrases, 2 with anything else. */
function weight(code: Int32Array, at: number): number {
  const kind = code[at]! & KIND;
  if (kind === TERM || kind === ABSENT) return 0;
  if (kind === PHRASE) return 1;
  if (kind === TEST || kind === FAIL) return 2;
  let heaviest = 0;
  for (let part = at + 1; part < at + nodeLength(code, at); part += nodeLength(code, part))
    heaviest = Math.max(heaviest, weight(code, part));
  return heaviest;
}

/** How often a node holds, as if words came and went by themselves. */
function likelihood(code: Int32Array, at: number, share: Share): number {
  switch (code[at]! & KIND) {
    case TERM:
      return share(payloadOf(code[at]!));
    case ABSENT:
      return 1 - share(payloadOf(code[at]!));
    case PHRASE: {
      const rarest = rarestShare(code, at, share);
      return (code[at + 1]! & NEGATED) === 0 ? rarest : 1 - rarest;
    }
    case ALL: {
      let product = 1;
      for (let part = at + 1; part < at + nodeLength(code, at); part += nodeLength(code, part))
        product *= likelihood(code, part, share);
      return product;
    }
    case ANY: {
      let none = 1;
      for (let part = at + 1; part < at + nodeLength(code, at); part += nodeLength(code, part))
        none *= 1 - likelihood(code, part, share);
      return 1 - none;
    }
    default:
      return 0.5;
  }
}

function rarestShare(code: Int32Array, at: number, share: Share): number {
  let rarest = 1;
  const terms = at + PHRASE_TERMS;
  for (let term = terms; term < terms + code[at + 2]!; term++) rarest = Math.min(rarest, share(payloadOf(code[term]!)));
  return rarest;
}

/** Calls `visit` with the place of each part of a join. Where every rule put goes through a loop, it stands there itself. */
export function eachPart(code: Int32Array, at: number, visit: (at: number) => void): void {
  const end = at + nodeLength(code, at);
  for (let part = at + 1; part < end; part += nodeLength(code, part)) visit(part);
}
