/** Facts that hold for every page, for the analysis of a rule. */
import { domainsOfUrl } from '../../base/domains.ts';
import type { Relations } from '../analysis/implications.ts';
import type { Dead, EventFacts, PlacedLeaf } from '../analysis/placed-query.ts';
import type { Fix } from '../diagnostic.ts';
import { literalsOf } from '../pattern/pattern.ts';
import { readRegex } from '../pattern/regex.ts';
import { wildcardPieces } from '../pattern/wildcard.ts';
import type { Predicate } from '../query.ts';
import { analyze } from './build.ts';
import {
  beginsUrl,
  type Impossible,
  impossiblePattern,
  impossibleRange,
  impossibleValue,
  mayBeInWord,
  urlWith,
} from './exact-values.ts';
import { DEFAULT_FIELD, fieldNamed } from './syntax-table.ts';

const SINGLES: ReadonlyMap<string, string> = new Map([
  ['language', 'language'],
  ['url', 'url'],
  ['publish_time', 'publish_time'],
]);

/** The relations between fields of a page: the table that analysis, fixes and suggestions go by. */
export const pageRelations: Relations = {
  // A site is also known by the names that it is a part of, as far as the one that its owner registered.
  implied(predicate) {
    if (predicate.kind !== 'term' || predicate.field !== 'domain') return [];
    const [host, ...parents] = domainsOfUrl(`https://${predicate.term}`);
    return host === predicate.term ? parents.map((term): Predicate => ({ kind: 'term', field: 'domain', term })) : [];
  },
  single: (field) => SINGLES.get(field),
  apart(one, other) {
    if (one.kind !== 'term' || other.kind !== 'term' || other.field !== 'domain') return false;
    const host = one.field === 'domain' ? one.term : one.field === 'url' ? hostOf(one.term) : undefined;
    if (host === undefined || !other.term.includes('.')) return false;
    const [longer, shorter] =
      one.field === 'url' || host.length >= other.term.length ? [host, other.term] : [other.term, host];
    return longer !== shorter && !longer.endsWith(`.${shorter}`);
  },
};

const hostOf = (url: string): string | undefined => /^https?:\/\/([^/?#:]+)/.exec(url)?.[1]?.toLowerCase();

export const factsOf = (text: string): EventFacts => ({
  event: 'page',

  impossible(predicate, piece) {
    const found = impossibleIn(predicate);
    return found && deadBy(found, predicate, piece, text);
  },

  common: commonOf,

  relations: pageRelations,

  either(one, other) {
    const between = text.slice(one.end, other.start);
    if (!/^\s+(?:AND|&&)\s+$/.test(between)) return [];
    const [left, right] = [text.slice(one.start, one.end), text.slice(other.start, other.end)];
    return [
      {
        span: { start: one.start, end: other.end },
        text: `(${left} OR ${right})`,
        meaning: `pages with ${left} or ${right}`,
        intent: { any: [{ clause: left }, { clause: right }] },
      },
    ];
  },

  without: (piece) => [{ ...withoutClause(text, piece.start, piece.end), meaning: 'the same', intent: 'same' }],
});

/** Removes the clause with the operator before it or, if there is none, with the one after it. */
function withoutClause(text: string, start: number, end: number): Fix {
  const before = /(?:\s+(?:AND|OR|&&|\|\|))?(?:\s+NOT)?\s+[-+!]?$/.exec(
    text.slice(Math.max(0, start - 64), start),
  )?.[0];
  if (before !== undefined) return { span: { start: start - before.length, end }, text: '' };
  const behind = /^\s+(?:(?:AND|OR|&&|\|\|)\s+)?/.exec(text.slice(end, end + 64))?.[0] ?? '';
  return { span: { start, end: end + behind.length }, text: '' };
}

function impossibleIn(predicate: Predicate): Impossible | undefined {
  if (!('field' in predicate)) return undefined;
  const kind = fieldNamed(predicate.field)?.kind ?? 'text';
  if (predicate.kind === 'number') return impossibleNumber(predicate);
  if (predicate.kind === 'term') {
    return kind === 'exact'
      ? impossibleValue(predicate.field, predicate.term)
      : impossibleWord(predicate.field, predicate.term);
  }
  if (predicate.kind === 'range') return rangeIn(predicate);
  const literals = literalsIn(predicate);
  if (literals === undefined) return undefined;
  if (kind === 'text') {
    if (literals.required.every(mayBeInWord)) return undefined;
    const isPhrase = predicate.kind === 'regex' && /^[\p{L}\p{N}]+(?: [\p{L}\p{N}]+)+$/u.test(predicate.pattern);
    return impossiblePattern(predicate.field, literals.prefix, isPhrase);
  }
  if (literals.required.some((part) => /\s/.test(part))) return { why: 'no such value holds a blank.', instead: [] };
  if (predicate.field !== 'url' || beginsUrl(literals.prefix)) return undefined;
  const part = literals.prefix;
  return {
    why: 'url: is compared with the whole address, from https:// on; begin the pattern with *.',
    instead: predicate.kind === 'prefix' ? [[urlWith(part), `addresses that contain ${part}`]] : [],
  };
}

/** A word that bypasses the tokenizer, such as `wi\-fi~0`, and that the tokenizer never produces. */
function impossibleWord(field: string, term: string): Impossible | undefined {
  const [only, ...more] = analyze(field, term);
  if (more.length === 0 && only === term) return undefined;
  return { why: `no page has the word ${term}: it is cut in pieces or left out.`, instead: [] };
}

interface Literals {
  readonly required: readonly string[];
  readonly prefix: string;
}

function literalsIn(predicate: Predicate): Literals | undefined {
  switch (predicate.kind) {
    case 'prefix':
      return { required: [predicate.prefix], prefix: predicate.prefix };
    case 'wildcard': {
      const pieces = wildcardPieces(predicate.pattern);
      return { required: pieces, prefix: pieces[0]! };
    }
    case 'regex': {
      const read = readRegex(predicate.pattern);
      return 'problem' in read ? undefined : literalsOf(read.regex);
    }
    default:
      return undefined;
  }
}

function rangeIn({ field, from, to }: Extract<Predicate, { kind: 'range' }>): Impossible | undefined {
  const [fromInclusive, toInclusive] = [from?.inclusive ?? true, to?.inclusive ?? true];
  return impossibleRange(field, { from: from?.value, to: to?.value, fromInclusive, toInclusive });
}

const HIGHEST_RATING = 100;

function impossibleNumber({ field, from, to }: Extract<Predicate, { kind: 'number' }>): Impossible | undefined {
  if (from !== undefined && from.value > HIGHEST_RATING) return { why: `${field} goes from 0 to 100.`, instead: [] };
  if (from === undefined || to === undefined || from.value < to.value) return undefined;
  if (from.value === to.value) {
    const isPoint = from.inclusive && to.inclusive;
    return isPoint ? undefined : { why: 'no number lies between a bound and itself when it is excluded.', instead: [] };
  }
  const swapped = `${field}:[${to.value} TO ${from.value}]`;
  return { why: 'the bounds are the wrong way round.', instead: [[swapped, `from ${to.value} to ${from.value}`]] };
}

/** A fix replaces the clause with its field; inside `field:(…)` there is no field to replace. */
function deadBy({ why, instead }: Impossible, predicate: Predicate, piece: PlacedLeaf, text: string): Dead {
  const field = 'field' in predicate ? predicate.field : DEFAULT_FIELD;
  const isWhole = field === DEFAULT_FIELD || text.startsWith(`${field}:`, piece.start);
  const span = { start: piece.start, end: piece.end };
  const fixes = isWhole ? instead.map(([written, meaning]): Fix => ({ span, text: written, meaning })) : [];
  return { why, fixes };
}

const USUAL: ReadonlySet<string> = new Set(['added', 'title', 'language', 'publish_time', 'dr']);
/** Older than what anybody publishes by. */
const TEN_YEARS = 3650 * 24 * 3_600_000;
/** The parts that every address has in it. */
const OF_EVERY_URL = /^(?:https?|https?:\/\/|:|\/\/|:\/\/|\/|\.|www\.?|)$/;

function commonOf(predicate: Predicate): 'every' | 'most' | undefined {
  switch (predicate.kind) {
    case 'exists':
      if (predicate.field === 'url' || predicate.field === 'domain') return 'every';
      return USUAL.has(predicate.field) ? 'most' : undefined;
    case 'number': {
      const isOpen = (predicate.from?.value ?? 0) <= 0 && (predicate.to?.value ?? HIGHEST_RATING) >= HIGHEST_RATING;
      return isOpen ? 'most' : undefined;
    }
    case 'recent':
      return predicate.milliseconds >= TEN_YEARS ? 'most' : undefined;
    case 'range':
      return isAllTime(predicate) ? 'most' : undefined;
    case 'prefix':
    case 'wildcard':
    case 'regex':
      return commonPattern(predicate);
    default:
      return undefined;
  }
}

const isAllTime = ({ field, from, to }: Extract<Predicate, { kind: 'range' }>): boolean =>
  field === 'publish_time' && (from?.value ?? '') < '2005' && (to?.value ?? '9') >= '2100';

function commonPattern(
  predicate: Extract<Predicate, { kind: 'prefix' | 'wildcard' | 'regex' }>,
): 'every' | 'most' | undefined {
  const { field } = predicate;
  const isAddress = field === 'url' || field === 'domain';
  if (predicate.kind === 'regex') {
    if (!/^(?:\.[*+]|\(\.\*\)|\.\*\.\*)$/.test(predicate.pattern)) return undefined;
    return isAddress ? 'every' : USUAL.has(field) ? 'most' : undefined;
  }
  if (predicate.kind === 'prefix') {
    if (field === 'url') return beginsUrl(predicate.prefix) && predicate.prefix.length <= 5 ? 'every' : undefined;
    return field === 'added' && /^\p{L}$/u.test(predicate.prefix) ? 'most' : undefined;
  }
  const pieces = wildcardPieces(predicate.pattern);
  if (isAddress && /[*]/.test(predicate.pattern))
    return pieces.every((piece) => OF_EVERY_URL.test(piece)) ? 'every' : undefined;
  // One letter anywhere in a word of the text is in nearly every text.
  return USUAL.has(field) && field !== 'language' && isBroad(predicate.pattern) ? 'most' : undefined;
}

/** Whether a pattern has nothing but wildcards, or one letter between stars. */
function isBroad(pattern: string): boolean {
  if (/^\?+\*$|^\*\?+$/.test(pattern)) return true;
  const [before = '', after, ...more] = pattern.split(/\p{L}/u);
  if (!/^[*?]+$/.test(before) || more.length > 0) return false;
  if (after === undefined) return before.split('*').length > 2;
  return before.includes('*') && /^[*?]+$/.test(after) && after.includes('*');
}
