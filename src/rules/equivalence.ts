/**
 * Whether two queries are proven to mean the same for every event, whatever each predicate says of it. Both are made binary
 * decision diagrams with the same order of predicates; two queries mean the same exactly when their diagrams are the same node.
 * A diagram may be exponentially larger than its query, so work is bounded: beyond the bound nothing is proven.
 */
import type { Query } from './query.ts';

/** Some ten milliseconds. A rule of a thousand words takes a tenth of them. */
const MOST_STEPS = 100_000;

export function sameMeaning(one: Query, other: Query): boolean {
  const diagrams = new Diagrams();
  const [left, right] = [diagrams.of(one), diagrams.of(other)];
  return diagrams.isExact && left === right;
}

/** Two nodes are the outcomes. Every other one asks for a predicate, and leads to `low` where it fails, to `high` where it holds. */
interface Node {
  readonly predicate: number;
  readonly low: number;
  readonly high: number;
}

const FAILS = 0;
const HOLDS = 1;
/** No predicate comes after an outcome. */
const OUTCOME: Node = { predicate: Number.POSITIVE_INFINITY, low: FAILS, high: HOLDS };

class Diagrams {
  readonly #numbers = new Map<string, number>();
  readonly #nodes: Node[] = [OUTCOME, OUTCOME];
  readonly #known = new Map<string, number>();
  #left = MOST_STEPS;

  /** False when the steps ran out: the diagrams mean nothing then. */
  get isExact(): boolean {
    return this.#left >= 0;
  }

  of(query: Query, negated = false): number {
    switch (query.kind) {
      case 'all':
      case 'any':
        return this.#joinAll(
          (query.kind === 'all') === negated ? HOLDS : FAILS,
          query.of.map((part) => this.of(part, negated)),
        );
      case 'not':
        return this.of(query.query, !negated);
      case 'everything':
        return negated ? FAILS : HOLDS;
      case 'nothing':
        return negated ? HOLDS : FAILS;
      default: {
        const predicate = this.#numberOf(JSON.stringify(query));
        return negated ? this.#node(predicate, HOLDS, FAILS) : this.#node(predicate, FAILS, HOLDS);
      }
    }
  }

  #numberOf(predicate: string): number {
    const number = this.#numbers.get(predicate) ?? this.#numbers.size;
    this.#numbers.set(predicate, number);
    return number;
  }

  /** Joins parts of which one that gives `decisive` decides: `FAILS` joins by AND, `HOLDS` by OR. Halves are joined first. */
  #joinAll(decisive: number, parts: readonly number[]): number {
    if (parts.length === 0) return decisive === FAILS ? HOLDS : FAILS;
    if (parts.length === 1) return parts[0]!;
    const middle = parts.length >> 1;
    return this.#join(
      decisive,
      this.#joinAll(decisive, parts.slice(0, middle)),
      this.#joinAll(decisive, parts.slice(middle)),
    );
  }

  #join(decisive: number, one: number, other: number): number {
    if (one > other) return this.#join(decisive, other, one);
    // Outcomes come first among the nodes, and the one that does not decide adds nothing.
    if (one === decisive || other === decisive) return decisive;
    if (one <= HOLDS || one === other) return other;
    const key = `${decisive}:${one}:${other}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    if (--this.#left < 0) return FAILS;
    const [a, b] = [this.#nodes[one]!, this.#nodes[other]!];
    const predicate = Math.min(a.predicate, b.predicate);
    const low = this.#join(
      decisive,
      a.predicate === predicate ? a.low : one,
      b.predicate === predicate ? b.low : other,
    );
    const high = this.#join(
      decisive,
      a.predicate === predicate ? a.high : one,
      b.predicate === predicate ? b.high : other,
    );
    const joined = this.#node(predicate, low, high);
    this.#known.set(key, joined);
    return joined;
  }

  /** Equal nodes are one, and none leads to the same place on both sides. */
  #node(predicate: number, low: number, high: number): number {
    if (low === high) return low;
    const key = `${predicate} ${low} ${high}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const node = this.#nodes.push({ predicate, low, high }) - 1;
    this.#known.set(key, node);
    return node;
  }
}
