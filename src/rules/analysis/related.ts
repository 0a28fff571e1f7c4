/** Relations between the clauses of one list, beyond being equal: each new clause is compared with those before it. */
import type { Predicate } from '../query.ts';
import { implies, impliesExcluded, MOST_COMPARED, neverBoth, type Relations } from './implications.ts';
import type { PlacedLeaf, PlacedQuery } from './placed-query.ts';

interface Known {
  readonly piece: PlacedQuery;
  readonly leaf: PlacedLeaf;
  readonly predicate: Predicate;
  readonly negated: boolean;
}

export type Relation =
  /** Together they can never hold; `by` is the exclusion, or the other of two that exclude each other. */
  | { readonly kind: 'clash'; readonly one: PlacedLeaf; readonly by: PlacedQuery; readonly negated: boolean }
  /** `piece` changes nothing beside `because`. */
  | { readonly kind: 'pointless'; readonly piece: PlacedQuery; readonly because: PlacedQuery };

export class Related {
  readonly #relations: Relations;
  readonly #known: Known[] = [];
  /** How many were compared. */
  looks = 0;

  constructor(relations: Relations) {
    this.#relations = relations;
  }

  /** How a clause joined by AND stands to those before it. */
  add(piece: PlacedQuery): Relation | undefined {
    const added = knownOf(piece);
    if (added === undefined || this.#known.length >= MOST_COMPARED) return undefined;
    const found = this.#find((before) => this.#both(before, added) ?? this.#both(added, before));
    this.#known.push(added);
    return found;
  }

  /** Whether what is required or excluded here rules a side of an OR out. */
  rulesOut(branch: PlacedQuery): boolean {
    const side = knownOf(branch);
    if (side === undefined) return false;
    const clash = (relation: Relation | undefined) => (relation?.kind === 'clash' ? relation : undefined);
    return this.#find((known) => clash(this.#both(known, side)) ?? clash(this.#both(side, known))) !== undefined;
  }

  /** Finds a required clause that makes a side of an OR hold. Returns undefined when there is none. */
  requires(branch: PlacedQuery): PlacedQuery | undefined {
    const side = knownOf(branch);
    if (side === undefined || side.negated) return undefined;
    return this.#known.find((known) => !known.negated && this.#implies(known.predicate, side.predicate))?.piece;
  }

  /** How a side of an OR stands to those before it. */
  addSide(piece: PlacedQuery): Relation | undefined {
    const added = knownOf(piece);
    if (added === undefined || added.negated || this.#known.length >= MOST_COMPARED) return undefined;
    const found = this.#find((before): Relation | undefined => {
      if (this.#implies(added.predicate, before.predicate)) return { kind: 'pointless', piece, because: before.piece };
      if (!this.#implies(before.predicate, added.predicate)) return undefined;
      return { kind: 'pointless', piece: before.piece, because: piece };
    });
    this.#known.push(added);
    return found;
  }

  #find<T>(relation: (known: Known) => T | undefined): T | undefined {
    for (const known of this.#known) {
      this.looks++;
      const found = relation(known);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #implies(one: Predicate, other: Predicate): boolean {
    return implies(one, other, this.#relations);
  }

  #both(one: Known, other: Known): Relation | undefined {
    if (!one.negated && !other.negated) {
      if (neverBoth(one.predicate, other.predicate, this.#relations))
        return { kind: 'clash', one: one.leaf, by: other.piece, negated: false };
      return this.#implies(one.predicate, other.predicate)
        ? { kind: 'pointless', piece: other.piece, because: one.piece }
        : undefined;
    }
    if (!one.negated) {
      if (impliesExcluded(one.predicate, other.predicate, this.#relations))
        return { kind: 'clash', one: one.leaf, by: other.piece, negated: true };
      return neverBoth(one.predicate, other.predicate, this.#relations)
        ? { kind: 'pointless', piece: other.piece, because: one.piece }
        : undefined;
    }
    // An exclusion is pointless beside a wider one.
    if (!other.negated || !this.#implies(one.predicate, other.predicate)) return undefined;
    return { kind: 'pointless', piece: one.piece, because: other.piece };
  }
}

function knownOf(piece: PlacedQuery, negated = false, whole = piece): Known | undefined {
  if (piece.kind === 'not') return negated ? undefined : knownOf(piece.of, true, whole);
  if (piece.kind !== 'leaf') return piece.of.length === 1 ? knownOf(piece.of[0]!, negated, whole) : undefined;
  const { query } = piece;
  if (query.kind === 'all' || query.kind === 'any' || query.kind === 'not') return undefined;
  if (query.kind === 'everything' || query.kind === 'nothing' || piece.dead !== undefined) return undefined;
  return { piece: whole, leaf: piece, predicate: query, negated };
}
