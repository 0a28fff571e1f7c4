/**
 * Rules as expressions of Vectorscan. Its literals are the words and phrases of texts. Its combinations join them by AND and OR; a
 * NOT holds there until the excluded word comes, which is too early, so rules with one are left out.
 */
import type { Query } from '../../src/rules/query.ts';
import { isExact } from './event-texts.ts';
import type { PeerRule } from './peer.ts';

const CASELESS = 1;
const SINGLEMATCH = 8;
const UTF8 = 32;
const COMBINATION = 512;
const QUIET = 1_024;

export interface Expressions {
  /** Flags, length in bytes, expression; the place in the list is its number. */
  readonly lines: readonly string[];
  /** By number of the expression, the rules that it has whole. */
  readonly rules: ReadonlyMap<number, readonly number[]>;
}

/** Prefixes, wildcards and regular expressions of one word: the rules that are one of them. */
export function toPatterns(rules: readonly PeerRule[], field: string): Expressions {
  const patterns = rules.flatMap(({ number, query }) => {
    const pattern = 'field' in query && query.field === field ? patternOf(query) : undefined;
    return pattern === undefined ? [] : [{ number, pattern }];
  });
  return {
    lines: patterns.map(({ pattern }) => `${CASELESS | SINGLEMATCH | UTF8}\t0\t${pattern}`),
    rules: new Map(patterns.map(({ number }, index) => [index, [number]])),
  };
}

/** Within a word, any character is one of a word: with edges of words, letters of ASCII are all that it knows as such. */
function patternOf(query: Query): string | undefined {
  switch (query.kind) {
    case 'prefix':
      return `\\b${escaped(query.prefix)}`;
    case 'wildcard':
      return `\\b${escaped(query.pattern).replaceAll('\\*', '\\w*').replaceAll('\\?', '\\w')}\\b`;
    case 'regex':
      return `\\b(?:${query.pattern.replaceAll('.', '\\w')})\\b`;
    default:
      return undefined;
  }
}

/** Every literal of every rule, and no logic: it has the rules whole that are one literal. `field` is that of texts. */
export function toLiterals(rules: readonly PeerRule[], field: string): Expressions {
  const literals = new Literals(field);
  const whole = new Map<number, number[]>();
  for (const { number, query } of rules) {
    const own = literals.numberOf(query);
    if (own === undefined) literals.addAll(query);
    else whole.set(own, [...(whole.get(own) ?? []), number]);
  }
  return { lines: literals.lines(CASELESS), rules: whole };
}

/** The rules without NOT and without other fields, as combinations of literals. */
export function toCombinations(rules: readonly PeerRule[], field: string): Expressions {
  const literals = new Literals(field);
  const combinations: { readonly number: number; readonly text: string }[] = [];
  for (const { number, query } of rules) {
    if (!literals.canCombine(query)) continue;
    const text = combine(query, literals);
    // One of a literal alone is refused, so that stands in it twice.
    combinations.push({ number, text: text.startsWith('(') ? text : `(${text} | ${text})` });
  }
  const lines = literals.lines(CASELESS | SINGLEMATCH | QUIET);
  return {
    lines: [...lines, ...combinations.map(({ text }) => `${COMBINATION | SINGLEMATCH}\t0\t${text}`)],
    rules: new Map(combinations.map(({ number }, index) => [lines.length + index, [number]])),
  };
}

function combine(query: Query, literals: Literals): string {
  if (query.kind !== 'all' && query.kind !== 'any') return String(literals.numberOf(query));
  return `(${query.of.map((part) => combine(part, literals)).join(query.kind === 'all' ? ' & ' : ' | ')})`;
}

class Literals {
  readonly #numbers = new Map<string, number>();
  readonly #field: string;

  constructor(field: string) {
    this.#field = field;
  }

  /** Returns undefined where the query is more than a literal. */
  numberOf(query: Query): number | undefined {
    const text = this.#textOf(query);
    if (text === undefined) return undefined;
    const known = this.#numbers.get(text);
    if (known === undefined) this.#numbers.set(text, this.#numbers.size);
    return known ?? this.#numbers.size - 1;
  }

  /** Whether it is made of literals by AND and OR alone. */
  canCombine(query: Query): boolean {
    if (query.kind !== 'all' && query.kind !== 'any') return this.#textOf(query) !== undefined;
    return query.of.every((part) => this.canCombine(part));
  }

  addAll(query: Query): void {
    if (query.kind === 'all' || query.kind === 'any') for (const part of query.of) this.addAll(part);
    else if (query.kind === 'not') this.addAll(query.query);
    else this.numberOf(query);
  }

  lines(flags: number): string[] {
    return [...this.#numbers.keys()].map((text) => {
      const bytes = Buffer.byteLength(text);
      return `${bytes > text.length ? flags | UTF8 : flags}\t${bytes}\t${escaped(text)}`;
    });
  }

  /** A hashtag is a literal: it stands in the text. */
  #textOf(query: Query): string | undefined {
    if (query.kind === 'term' && query.field === this.#field) return query.term;
    if (query.kind === 'term' && query.field === 'hashtag') return `#${query.term}`;
    return query.kind === 'phrase' && query.field === this.#field && isExact(query) ? query.terms.join(' ') : undefined;
  }
}

const escaped = (text: string): string => text.replace(/[^\p{L}\p{N}\p{M} #]/gu, '\\$&');
