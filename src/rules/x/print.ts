/** Prints a query as its canonical x text: as few parentheses and quotes as possible, and each operator's first name. */
import { trimEnd } from '../../base/parse-url.ts';
import type { Query } from '../query.ts';
import { quoted } from './lexer.ts';
import { LANGUAGES, STOP_WORDS } from './syntax-table.ts';
import { fold, isSpaceless, mayBeginKeyword, withFinalSigmas, wordsOf } from './words.ts';

export function print(query: Query): string {
  switch (query.kind) {
    case 'all':
      return query.of.map((part) => (isLongAny(part) ? `(${print(part)})` : print(part))).join(' ');
    case 'any':
      return printAny(query.of);
    case 'not':
      return `-${query.query.kind === 'all' || isLongAny(query.query) ? `(${print(query.query)})` : print(query.query)}`;
    case 'term':
      return printTerm(query.field, query.term);
    case 'literal':
      return prefixOf(query.field) + (query.field === 'text' ? word(query.text) : asValue(query.text));
    case 'phrase':
      return printPhrase(query.field, query.terms, query.slop);
    case 'contains':
      return `url_contains:${asValue(query.text)}`;
    case 'number':
      return `${query.field}:${query.from?.value ?? 0}${query.to === undefined ? '' : `..${query.to.value}`}`;
    case 'circle':
      return `point_radius:[${decimal(query.longitude)} ${decimal(query.latitude)} ${printRadius(query.radius)}]`;
    case 'box':
      return `bounding_box:[${[query.west, query.south, query.east, query.north].map(decimal).join(' ')}]`;
    case 'sample':
      return `sample:${query.percent}`;
    case 'upstream':
      return printEmbedding(query.value, query.threshold);
    // Only the other language has this; a translation never contains it.
    case 'everything':
    case 'nothing':
    case 'prefix':
    case 'wildcard':
    case 'regex':
    case 'fuzzy':
    case 'range':
    case 'exists':
    case 'recent':
      throw new Error(`the x language cannot say "${query.kind}"`);
  }
}

/** `place:` and `lang:zh-CN` each became two alternatives; the first shows what was written. */
const standsForTwo = (query: Query): boolean =>
  query.kind === 'term' &&
  (query.field === 'place_id' || (query.field === 'lang' && /^zh-(?:cn|tw)$/.test(query.term)));

const isOneClause = (of: readonly Query[]) => of.length === 2 && standsForTwo(of[0]!);
const isLongAny = (query: Query) => query.kind === 'any' && !isOneClause(query.of);

function printAny(of: readonly Query[]): string {
  const parts: string[] = [];
  for (let index = 0; index < of.length; index++) {
    parts.push(print(of[index]!));
    if (standsForTwo(of[index]!)) index++;
  }
  return parts.join(' OR ');
}

const SIGILS: Readonly<Record<string, string>> = { hashtag: '#', mention: '@', cashtag: '$' };

function printTerm(field: string, term: string): string {
  const sigil = SIGILS[field];
  if (sigil !== undefined) return sigil + withFinalSigmas(term);
  if (field === 'text') return word(term);
  if (field === 'lang') return `lang:${LANGUAGES.get(term) ?? term}`;
  if (field === 'place_country') return `place_country:${term.toUpperCase()}`;
  return field === 'context' ? `context:${term}` : prefixOf(field) + asValue(term);
}

const prefixOf = (field: string) => (field === 'text' ? '' : `${field === 'place_id' ? 'place' : field}:`);

/** Words that need quotes, because X would otherwise read them differently or ignore them. */
const mustBeQuoted = (text: string) => STOP_WORDS.has(text) || text === 'not';

function word(text: string): string {
  return isBare(text) && !mustBeQuoted(text) ? withFinalSigmas(text) : quoted(withFinalSigmas(text));
}

function asValue(text: string): string {
  return /^\w[\w.]*$/.test(text) || isBare(text) ? withFinalSigmas(text) : quoted(withFinalSigmas(text));
}

/** A word, or a run of a script without blanks, that needs no quotes. */
function isBare(text: string): boolean {
  if (!mayBeginKeyword(text, 0) || text.includes('\u200d')) return false;
  if (isSpaceless(text)) return true;
  const words = wordsOf(text);
  return words.length === 1 && words[0] === text && fold(text) === text;
}

function printPhrase(field: string, terms: readonly (string | null)[], slop: number): string {
  const text = quoted(withFinalSigmas(terms.filter((term) => term !== null).join(' ')));
  return prefixOf(field) + text + (slop > 0 ? `~${slop}` : '');
}

/** Plain decimals: X's lists have no exponents. */
const decimal = (value: number) =>
  /e/.test(String(value)) ? trimEnd(trimEnd(value.toFixed(15), '0'), '.') : String(value);

/** In the unit with the shorter text that still parses to the same number of metres. */
function printRadius(metres: number): string {
  const kilometres = `${decimal(metres / 1000)}km`;
  const miles = `${decimal(metres / 1609.344)}mi`;
  const exact = (text: string, unit: number) => Number.parseFloat(text) * unit === metres;
  if (!exact(kilometres, 1000)) return miles;
  return exact(miles, 1609.344) && miles.length < kilometres.length ? miles : kilometres;
}

const printEmbedding = (value: string, threshold: number | undefined) =>
  `embedding:${quoted(value)}${threshold === undefined ? '' : ` embedding_threshold:${decimal(threshold)}`}`;
