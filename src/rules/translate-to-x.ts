/** Translates predicates about pages into ones about posts. */
import { VALUES } from './firehose/labels.ts';
import { all, any, type Query } from './query.ts';
import { isAscii } from './translate-to-firehose.ts';
import {
  type Direction,
  isOfRuns,
  isPlainEmoji,
  isPlainIdeograph,
  isPlainName,
  languageOnPosts,
  longerWords,
  type Rendering,
  type Unit,
} from './translation.ts';
import { LANGUAGES as LABELLED } from './x/syntax-table.ts';
import { fold, isSpaceless, wordsOf } from './x/words.ts';

export function toX(unit: Unit): Rendering {
  switch (unit.kind) {
    case 'term':
      return term(unit.field, unit.term);
    case 'phrase':
      return phrase(unit.field, unit.terms, unit.slop);
    case 'fuzzy': {
      const exact = term(unit.field, unit.term);
      if ('impossible' in exact) return exact;
      return { ...exact, verdict: 'differs', reason: `only as it is written: X has no fuzzy words` };
    }
    case 'prefix':
      return unit.field === 'url' ? partsOfLinks([unit.prefix]) : { impossible: NO_PATTERNS };
    case 'wildcard':
      return unit.field === 'url' || unit.field === 'domain'
        ? partsOfLinks(partsOf(unit.pattern))
        : { impossible: NO_PATTERNS };
    case 'recent':
      return { query: { kind: 'everything' }, verdict: 'exact', reason: 'the stream only brings what was just posted' };
    case 'range':
      return { impossible: unit.field === 'publish_time' ? LIVE : NO_PATTERNS };
    case 'regex':
      return { impossible: NO_PATTERNS };
    case 'number':
      return { impossible: 'posts have no domain rating' };
    case 'exists':
      return { impossible: 'X cannot ask whether a page field is there' };
    case 'any':
    case 'literal':
    case 'contains':
    case 'circle':
    case 'box':
    case 'sample':
    case 'upstream':
      return { impossible: 'no rule for pages says this' };
  }
}

const NO_PATTERNS = 'X has no wildcards, patterns or ranges on words';
const LIVE = 'the stream is live: it only brings what was just posted';

const IMPOSSIBLE: Readonly<Record<string, string>> = {
  removed: 'nothing is ever removed from a post',
  removed_anchor: 'nothing is ever removed from a post',
  publish_time: LIVE,
  page_category: "X has no page categories; context: has X's own topics",
  page_type: 'posts have no page type',
};

const impossible = (field: string): Rendering => ({ impossible: IMPOSSIBLE[field] ?? 'posts do not have this' });

/** Fields of words: all of them are looked for in the whole post. */
const TEXT: Readonly<Record<string, string>> = {
  added: '',
  title: 'posts have no title: the whole text is searched; ',
  added_anchor: 'posts have no link texts: the whole text is searched; ',
};

function term(field: string, value: string): Rendering {
  const where = TEXT[field];
  if (where !== undefined) return word(value, where);
  switch (field) {
    case 'language':
      return language(value);
    case 'domain':
      return domain(value);
    case 'url':
      return partsOfLinks([value]);
    default:
      return impossible(field);
  }
}

function language(code: string): Rendering {
  if (!VALUES.language.has(code)) return { impossible: `no page is labelled with the language "${code}"` };
  const name = languageOnPosts(code);
  if (!LABELLED.has(name)) return { impossible: `X does not label posts with the language "${code}"` };
  const own: Query = { kind: 'term', field: 'lang', term: name };
  if (!name.startsWith('zh-')) return { query: own, verdict: 'exact', reason: 'the language of the post' };
  const query = any([own, { kind: 'term', field: 'lang', term: 'zh' }]);
  return { query, verdict: 'wider', reason: 'posts labelled just zh count as well' };
}

function word(value: string, where: string): Rendering {
  const query = wordOnPosts(fold(value));
  if (query === undefined) return { impossible: 'it holds no word' };
  const verdict = isSure(value) ? 'wider' : 'differs';
  return { query, verdict, reason: where + reasonOf(value, verdict) };
}

/** Whether a page that holds this as one word makes a post that X finds it in. */
const isSure = (value: string): boolean =>
  isPlainName(value) || isPlainIdeograph(value) || isPlainEmoji(value) || (isOfRuns(value) && fold(value) === value);

function reasonOf(value: string, verdict: Direction): string {
  if (isOfRuns(value)) return 'X also finds it inside a longer run of the script';
  if (isPlainIdeograph(value) || isPlainEmoji(value))
    return 'X also finds it in other spellings of the same sign, and in links';
  const found = `X also finds ${longerWords(value)}`;
  if (verdict === 'wider') return found;
  return /i/.test(value)
    ? `${found}, and misses it with the capital İ, which pages read as i`
    : 'X cuts words in another way';
}

function wordOnPosts(folded: string): Query | undefined {
  const terms = wordsOf(folded);
  if (terms.length === 0) return undefined;
  if (terms.length === 1 && terms[0] === folded) return { kind: 'term', field: 'text', term: folded };
  return { kind: 'literal', field: 'text', text: folded, terms };
}

function phrase(field: string, terms: readonly (string | null)[], slop: number): Rendering {
  const where = TEXT[field];
  if (where === undefined) return impossible(field);
  const kept = terms.filter((one) => one !== null).map(fold);
  const holes = terms.length - kept.length;
  const whole = kept.join('');
  if (slop === 0 && holes === 0 && isSpaceless(whole)) {
    const query = wordOnPosts(whole);
    const reason = `${where}X looks for the characters side by side, pages also with a sign between them`;
    return query === undefined ? { impossible: 'it holds no word' } : { query, verdict: 'differs', reason };
  }
  return nearby(terms, slop, where);
}

/**
 * A phrase of X is compared sign by sign, so that `"wi fi"` misses `wi-fi` and a line break; nearness looks at words alone,
 * as pages do, but X has none below 1.
 */
function nearby(terms: readonly (string | null)[], slop: number, where: string): Rendering {
  const kept = terms.filter((one) => one !== null);
  const own = kept.flatMap((one) => wordsOf(fold(one)));
  if (own.length === 0) return { impossible: 'it holds no word' };
  const holes = terms.length - kept.length;
  const distance = Math.max(1, slop + holes);
  const query: Query = { kind: 'phrase', field: 'text', terms: own, slop: Math.min(distance, FARTHEST) };
  if (own.length === 1) return { impossible: 'X needs two words to look for them near each other' };
  if (distance > FARTHEST) return { query, verdict: 'differs', reason: `${where}X looks at most six words apart` };
  if (holes > 0) return { query, verdict: 'differs', reason: `${where}any word may stand where a common one was` };
  if (slop > 0) return { query, verdict: 'differs', reason: `${where}X counts tesla's and node.js as two words each` };
  const reason = `${where}X has no phrase that overlooks signs and line breaks, so one word may stand between them`;
  return { query, verdict: kept.every(isPlainName) ? 'wider' : 'differs', reason };
}

const FARTHEST = 6;

const LINKS = 'posts that link there stand for the page itself';

/** The names of a host are words of the link, side by side. */
function domain(value: string): Rendering {
  const terms = wordsOf(fold(value));
  if (terms.length === 0) return { impossible: 'the address holds no word' };
  const query: Query =
    terms.length === 1
      ? { kind: 'term', field: 'url', term: terms[0]! }
      : { kind: 'phrase', field: 'url', terms, slop: 0 };
  const isHost = /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/.test(value);
  return { query, verdict: isHost ? 'wider' : 'differs', reason: LINKS };
}

/** The parts that must stand in the address, in order; X cannot ask for the order. */
function partsOf(pattern: string): string[] {
  const parts = pattern.match(/(?:\\.|[^*?\\])+/gsu) ?? [];
  return parts.map((part) => part.replace(/\\(.)/gsu, '$1'));
}

/** X can look for parts of a link only, in either case. */
function partsOfLinks(parts: readonly string[]): Rendering {
  const folded = [...new Set(parts.map(fold))].filter((part) => part.trim() !== '');
  if (folded.length === 0) return { impossible: 'the address holds nothing that X could look for' };
  const query = all(folded.map((text): Query => ({ kind: 'contains', field: 'url', text })));
  const order = folded.length > 1 ? ', in any order' : '';
  return { query, verdict: parts.every(isAscii) ? 'wider' : 'differs', reason: `${LINKS}${order}` };
}
