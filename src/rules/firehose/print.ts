/** The canonical text of a query: operators as words, parentheses where they are needed, every value escaped. */
import type { Predicate, Query } from '../query.ts';
import { analyze } from './build.ts';
import { escapeTerm, quote } from './escape.ts';
import { UNITS } from './special.ts';
import { DEFAULT_FIELD, fieldNamed } from './syntax-table.ts';

export function print(query: Query): string {
  if (query.kind === 'all') return printAll(query.of);
  if (query.kind === 'any') return query.of.map(printPart).join(' OR ');
  if (query.kind === 'not') return printAll([query]);
  if (query.kind === 'everything') return '*:*';
  return query.kind === 'nothing' ? 'NOT *:*' : printPredicate(query);
}

/** Exclusions alone never match, so they are subtracted from everything. */
function printAll(parts: readonly Query[]): string {
  const texts = parts.map((part) => (part.kind === 'not' ? `NOT ${printPart(part.query)}` : printPart(part)));
  return (parts.every((part) => part.kind === 'not') ? ['*:*', ...texts] : texts).join(' AND ');
}

function printPart(query: Query): string {
  const joined = query.kind === 'all' || query.kind === 'any' || query.kind === 'not' || query.kind === 'nothing';
  return joined ? `(${print(query)})` : print(query);
}

function printPredicate(query: Predicate): string {
  switch (query.kind) {
    case 'term':
      return named(query.field, printTerm(query.field, query.term));
    case 'phrase':
      return named(query.field, printPhrase(query.terms, query.slop));
    case 'prefix':
      return named(query.field, `${escapeTerm(query.prefix)}*`);
    case 'wildcard':
      return named(query.field, query.pattern);
    case 'regex':
      return named(query.field, `/${query.pattern}/`);
    case 'fuzzy':
      return named(query.field, `${escapeTerm(query.term)}~${query.edits}`);
    case 'range':
      return named(query.field, printRange(query));
    case 'number':
      return named(query.field, printNumber(query));
    case 'exists':
      return `${printField(query.field)}:*`;
    case 'recent':
      return `recent:${printWindow(query.milliseconds)}`;
    case 'literal':
    case 'contains':
    case 'circle':
    case 'box':
    case 'sample':
    case 'upstream':
      throw new Error(`${query.kind} has no form in the firehose language.`);
  }
}

const named = (field: string, text: string) => (field === DEFAULT_FIELD ? text : `${printField(field)}:${text}`);

/** A field `*` can only be written with an escape. */
const printField = (field: string) => escapeTerm(field);

const BARE = /^[\w.][\w.-]*$/;
const OPERATOR = /^(?:AND|OR|NOT)$/;

function printTerm(field: string, term: string): string {
  if (fieldNamed(field)?.kind === 'exact') return BARE.test(term) && !OPERATOR.test(term) ? term : quote(term);
  const words = analyze(field, term);
  // Analysis would change a stop word or a hyphenated word. A fuzzy word with no edits still asks for it.
  return words.length === 1 && words[0] === term ? escapeTerm(term) : `${escapeTerm(term)}~0`;
}

/** A stop word stands for a hole in the phrase: "the" for one hole, "of the" for two. */
function printPhrase(terms: readonly (string | null)[], slop: number): string {
  const words = terms.map((term, at) => term ?? (terms[at + 1] === null ? 'of' : 'the')).join(' ');
  return `${quote(words)}${slop === 0 ? '' : `~${slop}`}`;
}

function printRange({ from, to }: Extract<Predicate, { kind: 'range' }>): string {
  const open = from === undefined || from.inclusive ? '[' : '{';
  const close = to === undefined || to.inclusive ? ']' : '}';
  return `${open}${printBound(from?.value)} TO ${printBound(to?.value)}${close}`;
}

function printBound(value: string | undefined): string {
  if (value === undefined) return '*';
  if (/^[\w.:-]+$/.test(value) && value !== 'TO') return value;
  // A backslash before the closing quote would keep it open.
  return `"${value.replace(/["\\]/g, (one) => (one === '"' ? '\\u0022' : '\\u005c'))}"`;
}

function printNumber({ from, to }: Extract<Predicate, { kind: 'number' }>): string {
  if (from === undefined && to === undefined) return '*';
  if (from?.inclusive && to?.inclusive && from.value === to.value) return String(from.value);
  const open = from === undefined || from.inclusive ? '[' : '{';
  const close = to === undefined || to.inclusive ? ']' : '}';
  return `${open}${from?.value ?? '*'} TO ${to?.value ?? '*'}${close}`;
}

function printWindow(milliseconds: number): string {
  const day = UNITS['d']!;
  if (milliseconds % day === 0) return `${milliseconds / day}d`;
  return `${Math.ceil(milliseconds / UNITS['h']!)}h`;
}
