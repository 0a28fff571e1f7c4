/**
 * Several rule texts as one, for an upstream that takes fewer rules than there are: an OR of all of them, in their own
 * language. A pack is never trusted by its looks: it is read again, and must mean exactly "one of these".
 */
import type { Platform } from '../domain/platform.ts';
import { FIELDS } from './firehose/syntax-table.ts';
import type { Language } from './language.ts';
import { any, type Query } from './query.ts';
import { OPERATORS } from './x/syntax-table.ts';

/** The share of a pack that a value takes. */
export interface PackPart {
  /** Characters, its share of the joins included. */
  readonly size: number;
  readonly clauses: number;
}

const OR = ' OR ';

/** Lucene stops at 1,024; a pack's own join and what analysis makes of a word are left some room. */
const MAX_CLAUSES = 960;

/** One clause that cannot come apart: it needs no parentheses. */
const BARE = /^[#$@]?[\p{L}\p{N}_]+$/u;

/** Texts that the reading of a careless neighbour would run into: a quote, a pattern. */
const NEIGHBOURS: Record<Platform, string> = { x: '"a b" c', firehose: '"a b" url:/c/' };

const written = (value: string): string => (BARE.test(value) ? value : `(${value})`);

/**
 * The share of a pack that the value takes, or undefined when it must stand alone. An event that a pack caught must
 * show by itself which of the parts it satisfies: that leaves out what the upstream alone can judge, and what speaks of
 * a rule as a whole.
 */
export function packPart(language: Language, value: string): PackPart | undefined {
  const query = language.queryOf(value);
  if (query === undefined || !judgesItself(query)) return undefined;
  const neighbour = NEIGHBOURS[language.name];
  if (packRules(language, [neighbour, value, neighbour]) === undefined) return undefined;
  return { size: written(value).length + OR.length, clauses: clausesOf(query) };
}

/** Whether parts that take this much together make a pack of at most this length. */
export const fitsPack = ({ size, clauses }: PackPart, length: number): boolean =>
  size - OR.length <= length && clauses <= MAX_CLAUSES;

/** The text that stands for all of these; undefined when the language does not read it so. */
export function packRules(language: Language, values: readonly string[]): string | undefined {
  const text = values.map(written).join(OR);
  const parts = values.map((value) => language.queryOf(value));
  const whole = language.queryOf(text);
  if (whole === undefined || !parts.every((part) => part !== undefined)) return undefined;
  return isSame(whole, any(parts)) ? text : undefined;
}

/** Whether an event shows by itself whether it satisfies the query: nothing in it is for the upstream alone to say. */
export function judgesItself(query: Query): boolean {
  switch (query.kind) {
    case 'all':
    case 'any':
      return query.of.every(judgesItself);
    case 'not':
      return judgesItself(query.query);
    // The upstream's own model, its own hash, and a window that Firehose takes out of the query for all of the rule.
    case 'upstream':
    case 'sample':
    case 'recent':
      return false;
    default:
      return isDelivered(query);
  }
}

/** Fields that an upstream looks at and its events do not show, or not by every name. */
const HIDDEN = new Map(
  [...FIELDS, ...OPERATORS].flatMap(({ name, delivered }) => (delivered ? [[name, delivered] as const] : [])),
);

function isDelivered(query: Exclude<Query, { readonly kind: 'all' | 'any' | 'not' }>): boolean {
  const delivered = 'field' in query ? HIDDEN.get(query.field) : undefined;
  return delivered === undefined || (delivered === 'ids' && query.kind === 'term' && /^\d+$/.test(query.term));
}

function clausesOf(query: Query): number {
  if (query.kind === 'not') return clausesOf(query.query);
  return query.kind === 'all' || query.kind === 'any' ? query.of.reduce((sum, one) => sum + clausesOf(one), 1) : 1;
}

/** Which of two equal alternatives is left out makes no difference. */
function isSame(one: Query, other: Query): boolean {
  const [these, those] = [alternativesOf(one), alternativesOf(other)];
  return these.size === those.size && [...these].every((part) => those.has(part));
}

const alternativesOf = (query: Query): Set<string> =>
  new Set((query.kind === 'any' ? query.of : [query]).map((part) => JSON.stringify(part)));
