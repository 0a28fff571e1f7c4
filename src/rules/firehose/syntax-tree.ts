/** A rule's text after parsing and before analysis: clauses as written, with their places. */
import type { Span } from '../diagnostic.ts';

export type Syntax = Leaf | Group;

export interface Clause {
  readonly conj: 'and' | 'or' | undefined;
  readonly mod: 'must' | 'not' | undefined;
  readonly node: Syntax;
  /** Starts at the modifier. */
  readonly start: number;
  readonly end: number;
}

export interface Group {
  readonly kind: 'group';
  readonly clauses: readonly Clause[];
  /** The field before the parenthesis, if there is one. */
  readonly fieldSpan: Span | undefined;
  readonly boost: number | undefined;
  readonly start: number;
  readonly end: number;
}

export interface Leaf {
  readonly kind: 'leaf';
  readonly form: 'term' | 'run' | 'quoted' | 'prefix' | 'wildcard' | 'regex' | 'range' | 'sign';
  /** The field that applies here: written before the leaf or a group around it, or the default field. */
  readonly field: string;
  readonly fieldSpan: Span | undefined;
  /** Without escapes, quotes and slashes; for a wildcard or regex as written between them. */
  readonly text: string;
  readonly range: Range | undefined;
  /** The text after `~`. */
  readonly tilde: string | undefined;
  readonly boost: number | undefined;
  /** The value with its suffixes, without the field. */
  readonly start: number;
  readonly end: number;
}

export interface Range {
  /** A bound is undefined at an open end. */
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly fromInclusive: boolean;
  readonly toInclusive: boolean;
}
