/** What a predicate about pages becomes when it is asked of posts. */
import type { Predicate, Query } from './query.ts';
import type { Rendering } from './translation.ts';
import { fold, wordsOf } from './x/words.ts';

export function toX(predicate: Predicate): Rendering {
  switch (predicate.kind) {
    case 'term':
      return term(predicate.field, predicate.term);
    case 'phrase':
      return phrase(predicate.field, predicate.terms, predicate.slop);
    case 'fuzzy': {
      const exact = term(predicate.field, predicate.term);
      return 'impossible' in exact
        ? exact
        : { ...exact, verdict: 'narrower', reason: 'only the spelling as written: X has no fuzzy words' };
    }
    case 'prefix':
      return predicate.field === 'url' ? link(predicate.prefix) : { impossible: NO_PATTERNS };
    case 'wildcard':
      return predicate.field === 'url' || predicate.field === 'domain'
        ? address(predicate.pattern)
        : { impossible: NO_PATTERNS };
    case 'recent':
      return { query: { kind: 'everything' }, verdict: 'exact', reason: 'the stream only brings what was just posted' };
    case 'regex':
    case 'range':
      return { impossible: NO_PATTERNS };
    case 'number':
      return { impossible: 'posts have no domain rating' };
    case 'exists':
      return { impossible: 'X cannot ask whether a page field is there' };
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

const IMPOSSIBLE: Readonly<Record<string, string>> = {
  removed: 'nothing is ever removed from a post',
  removed_anchor: 'nothing is ever removed from a post',
  publish_time: 'the stream only brings what was just posted',
  page_category: "X has no page categories; context: has X's own topics",
  page_type: 'posts have no page type',
};

/** How a field of words reads on posts. */
const TEXT: Readonly<Record<string, { verdict: 'exact' | 'wider'; reason: string }>> = {
  added: { verdict: 'exact', reason: 'the same word in the post' },
  title: { verdict: 'wider', reason: 'posts have no title: the whole text is searched' },
  added_anchor: { verdict: 'wider', reason: 'posts have no link texts: the whole text is searched' },
};

function term(field: string, value: string): Rendering {
  if (field in TEXT) return postWords(value, TEXT[field]!);
  switch (field) {
    case 'language':
      return {
        query: { kind: 'term', field: 'lang', term: LANGUAGES[value] ?? value },
        verdict: 'exact',
        reason: 'the language of the post',
      };
    case 'domain':
    case 'url':
      return link(value);
    default:
      return { impossible: IMPOSSIBLE[field] ?? 'posts do not have this' };
  }
}

/** Codes that X still writes the old way. */
const LANGUAGES: Readonly<Record<string, string>> = { he: 'iw', id: 'in' };

function postWords(value: string, { verdict, reason }: { verdict: 'exact' | 'wider'; reason: string }): Rendering {
  const folded = fold(value);
  const terms = wordsOf(folded);
  if (terms.length === 0) return { impossible: 'it holds no word' };
  if (terms.length === 1 && terms[0] === folded)
    return { query: { kind: 'term', field: 'text', term: folded }, verdict, reason };
  return { query: { kind: 'literal', field: 'text', text: folded, terms }, verdict, reason };
}

function phrase(field: string, terms: readonly (string | null)[], slop: number): Rendering {
  const reading = TEXT[field];
  if (reading === undefined) return { impossible: IMPOSSIBLE[field] ?? 'posts do not have this' };
  const kept = terms.filter((word) => word !== null).map(fold);
  const holes = terms.length - kept.length;
  if (slop === 0 && holes === 0) {
    const text = kept.join(' ');
    const narrowed =
      reading.verdict === 'exact'
        ? ({ verdict: 'narrower', reason: 'on posts the words must be one blank apart' } as const)
        : reading;
    return { query: { kind: 'literal', field: 'text', text, terms: wordsOf(text) }, ...narrowed };
  }
  const distance = slop + holes;
  const query: Query = {
    kind: 'phrase',
    field: 'text',
    terms: kept.flatMap((word) => wordsOf(word)),
    slop: Math.min(distance, MAX_DISTANCE),
  };
  if (distance > MAX_DISTANCE) return { query, verdict: 'narrower', reason: 'X looks at most six words apart' };
  return holes > 0
    ? { query, verdict: 'wider', reason: 'any word may stand where a common one was' }
    : { query, ...reading };
}

const MAX_DISTANCE = 6;

/** A page at an address becomes a post that links there. */
function link(value: string): Rendering {
  const terms = wordsOf(fold(value));
  if (terms.length === 0) return { impossible: 'the address holds no word' };
  const query: Query =
    terms.length === 1
      ? { kind: 'term', field: 'url', term: terms[0]! }
      : { kind: 'phrase', field: 'url', terms, slop: 0 };
  return { query, ...LINKS };
}

const LINKS = { verdict: 'wider', reason: 'posts that link there stand for the page itself' } as const;

/** `*part*` is a substring; anything finer X cannot say. */
function address(pattern: string): Rendering {
  const [, part] = /^\*((?:[^*?\\]|\\.)+)\*$/su.exec(pattern) ?? [];
  if (part === undefined) return { impossible: 'X can look for a part of an address only as *part*' };
  const text = fold(part.replace(/\\(.)/gsu, '$1'));
  return { query: { kind: 'contains', field: 'url', text }, ...LINKS };
}
