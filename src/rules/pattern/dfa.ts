/**
 * Turns a pattern into a table: a state and a character give the next state, so matching reads each character once for
 * every pattern. States are Brzozowski derivatives (the pattern that is left to match after some characters), which
 * support intersection and complement as easily as union. A budget limits the number of states.
 */
import type { Regex } from './regex.ts';

/** The budget for compiling all patterns of a rule together. */
export interface Budget {
  states: number;
  work: number;
}

export const newBudget = (): Budget => ({ states: 4_096, work: 60_000 });

export interface Dfa {
  readonly test: (text: string, start: number, end: number) => boolean;
}

const DEAD = 0;

/** Returns undefined if the budget is too small. */
export function compileDfa(regex: Regex, budget: Budget): Dfa | undefined {
  try {
    const builder = new Builder(new Alphabet(regex), budget);
    return builder.table(builder.import(regex));
  } catch (error) {
    if (error instanceof OverBudget) return undefined;
    throw error;
  }
}

class OverBudget extends Error {}

const ASCII = 128;

/** Code points that every set of the pattern treats alike are one symbol. */
class Alphabet {
  /** The first code point of each symbol, ascending. */
  readonly starts: Int32Array;

  constructor(regex: Regex) {
    const edges = new Set([0]);
    collectEdges(regex, edges);
    this.starts = new Int32Array(edges).toSorted();
  }

  /** The symbols of the first code points, which most texts are made of. */
  ascii(): Uint16Array {
    const symbols = new Uint16Array(ASCII);
    for (const [symbol, start] of this.starts.entries()) if (start < ASCII) symbols.fill(symbol, start);
    return symbols;
  }

  symbolOf(code: number): number {
    let low = 0;
    let high = this.starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.starts[middle]! <= code) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

function collectEdges(regex: Regex, edges: Set<number>): void {
  switch (regex.kind) {
    case 'set':
      for (let index = 0; index < regex.ranges.length; index += 2) {
        edges.add(regex.ranges[index]!);
        if (regex.ranges[index + 1]! < 0x10ffff) edges.add(regex.ranges[index + 1]! + 1);
      }
      return;
    case 'cat':
    case 'or':
    case 'and':
      for (const part of regex.of) collectEdges(part, edges);
      return;
    case 'not':
    case 'repeat':
      collectEdges(regex.of, edges);
      return;
  }
}

/** A term of the derivative algebra. Equal ones are one object: `id` tells them apart. */
type Term = { readonly id: number; readonly nullable: boolean } & (
  | { readonly kind: 'empty' }
  | { readonly kind: 'set'; readonly symbols: Uint8Array }
  | { readonly kind: 'cat'; readonly head: Term; readonly tail: Term }
  | { readonly kind: 'or' | 'and'; readonly of: readonly Term[] }
  | { readonly kind: 'not'; readonly of: Term }
  | { readonly kind: 'repeat'; readonly of: Term; readonly min: number; readonly max: number }
);

class Builder {
  readonly #alphabet: Alphabet;
  readonly #budget: Budget;
  readonly #terms = new Map<string, Term>();
  readonly #nothing: Term;
  readonly #empty: Term;
  readonly #anything: Term;

  constructor(alphabet: Alphabet, budget: Budget) {
    this.#alphabet = alphabet;
    this.#budget = budget;
    this.#nothing = this.#keep('0', { id: 0, nullable: false, kind: 'or', of: [] });
    this.#empty = this.#keep('1', { id: 1, nullable: true, kind: 'empty' });
    this.#anything = this.#not(this.#nothing);
  }

  import(regex: Regex): Term {
    switch (regex.kind) {
      case 'set':
        return this.#set(regex.ranges);
      case 'cat':
        return regex.of.reduceRight<Term>((tail, part) => this.#cat(this.import(part), tail), this.#empty);
      case 'or':
      case 'and':
        return this.#join(
          regex.kind,
          regex.of.map((part) => this.import(part)),
        );
      case 'not':
        return this.#not(this.import(regex.of));
      case 'repeat':
        return this.#repeat(this.import(regex.of), regex.min, regex.max);
    }
  }

  /** Numbers the states in the order of discovery: from 0 nothing matches, 1 is the start. */
  table(start: Term): Dfa {
    const size = this.#alphabet.starts.length;
    const states: Term[] = [this.#nothing];
    const numbers = new Map<Term, number>([[this.#nothing, DEAD]]);
    const numberOf = (term: Term): number => {
      const known = numbers.get(term);
      if (known !== undefined) return known;
      if (this.#budget.states-- <= 0) throw new OverBudget();
      numbers.set(term, states.length);
      return states.push(term) - 1;
    };
    const first = numberOf(start);
    const rows: number[] = [];
    for (let state = 0; state < states.length; state++) {
      const groups = this.#groups(states[state]!);
      const row = rows.length;
      for (let symbol = 0; symbol < size; symbol++) {
        const group = groups[symbol]!;
        rows.push(group === symbol ? numberOf(this.#after(states[state]!, symbol)) : rows[row + group]!);
      }
      this.#spend(1 + (size >> 3));
    }
    const accepts = new Uint8Array(states.map(({ nullable }) => (nullable ? 1 : 0)));
    return walk(this.#alphabet, new Int16Array(rows), accepts, first, numbers.get(this.#anything) ?? -1);
  }

  /**
   * For each symbol, the first symbol that this term treats alike. Only the sets at the term's front distinguish symbols,
   * usually one or two sets, so the derivative is computed once for each group.
   */
  #groups(term: Term): Int32Array {
    const front: Uint8Array[] = [];
    this.#collectFront(term, front);
    const groups = new Int32Array(this.#alphabet.starts.length);
    if (front.length === 0) return groups;
    if (front.length === 1) return groupsOf(front[0]!, groups);
    const firsts = new Map<number, number>();
    for (const symbols of new Set(front)) {
      firsts.clear();
      for (let symbol = 0; symbol < groups.length; symbol++) {
        const key = groups[symbol]! * 2 + symbols[symbol]!;
        const first = firsts.get(key) ?? symbol;
        if (first === symbol) firsts.set(key, symbol);
        groups[symbol] = first;
      }
    }
    return groups;
  }

  #collectFront(term: Term, front: Uint8Array[]): void {
    this.#spend(1);
    switch (term.kind) {
      case 'empty':
        return;
      case 'set':
        front.push(term.symbols);
        return;
      case 'cat':
        this.#collectFront(term.head, front);
        if (term.head.nullable) this.#collectFront(term.tail, front);
        return;
      case 'or':
      case 'and':
        for (const part of term.of) this.#collectFront(part, front);
        return;
      case 'not':
      case 'repeat':
        this.#collectFront(term.of, front);
        return;
    }
  }

  /** The derivative of a term by one symbol: what is left to match after it. */
  #after(term: Term, symbol: number): Term {
    this.#spend(1);
    switch (term.kind) {
      case 'empty':
        return this.#nothing;
      case 'set':
        return term.symbols[symbol] === 1 ? this.#empty : this.#nothing;
      case 'cat': {
        const head = this.#cat(this.#after(term.head, symbol), term.tail);
        return term.head.nullable ? this.#join('or', [head, this.#after(term.tail, symbol)]) : head;
      }
      case 'or':
      case 'and':
        return this.#join(
          term.kind,
          term.of.map((part) => this.#after(part, symbol)),
        );
      case 'not':
        return this.#not(this.#after(term.of, symbol));
      case 'repeat':
        return this.#cat(this.#after(term.of, symbol), this.#repeat(term.of, Math.max(0, term.min - 1), term.max - 1));
    }
  }

  #set(ranges: readonly number[]): Term {
    const { starts } = this.#alphabet;
    const symbols = new Uint8Array(starts.length);
    for (let index = 0; index < ranges.length; index += 2) {
      const from = this.#alphabet.symbolOf(ranges[index]!);
      symbols.fill(1, from, this.#alphabet.symbolOf(ranges[index + 1]!) + 1);
    }
    if (!symbols.includes(1)) return this.#nothing;
    this.#spend(symbols.length >> 4);
    const key = `s${ranges.join()}`;
    const term: Term = { id: this.#terms.size, nullable: false, kind: 'set', symbols };
    return this.#known(key) ?? this.#keep(key, term, symbols.length);
  }

  #cat(head: Term, tail: Term): Term {
    if (head === this.#nothing || tail === this.#nothing) return this.#nothing;
    if (head === this.#empty) return tail;
    if (tail === this.#empty) return head;
    if (head.kind === 'cat') return this.#cat(head.head, this.#cat(head.tail, tail));
    const key = `.${head.id},${tail.id}`;
    const nullable = head.nullable && tail.nullable;
    return this.#known(key) ?? this.#keep(key, { id: this.#terms.size, nullable, kind: 'cat', head, tail });
  }

  #join(kind: 'or' | 'and', parts: readonly Term[]): Term {
    const neutral = kind === 'or' ? this.#nothing : this.#anything;
    const decisive = kind === 'or' ? this.#anything : this.#nothing;
    const of = new Set<Term>();
    for (const part of parts) {
      if (part === decisive) return decisive;
      if (part.kind === kind) for (const one of part.of) of.add(one);
      else if (part !== neutral) of.add(part);
    }
    this.#spend(of.size);
    if (of.size === 0) return neutral;
    const sorted = [...of].toSorted((one, other) => one.id - other.id);
    if (sorted.length === 1) return sorted[0]!;
    const key = (kind === 'or' ? '|' : '&') + sorted.map((one) => one.id).join();
    const nullable = kind === 'or' ? sorted.some((one) => one.nullable) : sorted.every((one) => one.nullable);
    return this.#known(key) ?? this.#keep(key, { id: this.#terms.size, nullable, kind, of: sorted });
  }

  #not(of: Term): Term {
    if (of.kind === 'not') return of.of;
    const key = `!${of.id}`;
    return this.#known(key) ?? this.#keep(key, { id: this.#terms.size, nullable: !of.nullable, kind: 'not', of });
  }

  #repeat(of: Term, least: number, max: number): Term {
    // If the part may be empty, so may each repetition.
    const min = of.nullable ? 0 : least;
    if (max === 0 || of === this.#empty) return this.#empty;
    if (of === this.#nothing) return min === 0 ? this.#empty : this.#nothing;
    if (min === 1 && max === 1) return of;
    // Any number of times at least two is no single run: each of them has at least one of the part.
    if (max === Infinity && min <= 1 && of.kind === 'repeat' && of.max === Infinity && of.min <= 1) {
      return this.#repeat(of.of, Math.min(of.min, min), max);
    }
    if (max === Infinity && min === 0 && of.kind === 'set' && !of.symbols.includes(0)) return this.#anything;
    const key = `*${of.id},${min},${max}`;
    const nullable = min === 0;
    return this.#known(key) ?? this.#keep(key, { id: this.#terms.size, nullable, kind: 'repeat', of, min, max });
  }

  #spend(work: number): void {
    this.#budget.work -= work;
    if (this.#budget.work < 0) throw new OverBudget();
  }

  #known(key: string): Term | undefined {
    return this.#terms.get(key);
  }

  #keep(key: string, term: Term, length = key.length): Term {
    this.#spend(1 + (length >> 5));
    this.#terms.set(key, term);
    return term;
  }
}

/** For each symbol, the first one of those that are in the set with it, or outside with it. */
function groupsOf(symbols: Uint8Array, groups: Int32Array): Int32Array {
  const other = symbols.indexOf(1 - symbols[0]!);
  if (other < 0) return groups;
  for (let symbol = other; symbol < groups.length; symbol++) if (symbols[symbol] !== symbols[0]) groups[symbol] = other;
  return groups;
}

/** `sure` is the state from which everything matches, or -1. */
function walk(alphabet: Alphabet, table: Int16Array, accepts: Uint8Array, first: number, sure: number): Dfa {
  const size = alphabet.starts.length;
  const ascii = alphabet.ascii();
  return {
    test(text, start, end) {
      let state = first;
      for (let at = start; at < end; at++) {
        if (state === DEAD || state === sure) break;
        const unit = text.charCodeAt(at);
        if (unit < ASCII) {
          state = table[state * size + ascii[unit]!]!;
          continue;
        }
        const code = at + 1 < end ? text.codePointAt(at)! : unit;
        if (code > 0xffff) at++;
        state = table[state * size + alphabet.symbolOf(code)]!;
      }
      return accepts[state] === 1;
    },
  };
}
