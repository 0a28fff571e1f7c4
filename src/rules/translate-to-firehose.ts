/** Translates predicates about posts into ones about pages. Words are looked for in what a page added. */
import { analyze } from './firehose/build.ts';
import { VALUES } from './firehose/labels.ts';
import { any, type Predicate, type Query } from './query.ts';
import {
  type Direction,
  isOfRuns,
  isPlainEmoji,
  isPlainIdeograph,
  isPlainName,
  languageOnPages,
  longerWords,
  type Rendering,
  spellingsOnPages,
  type Unit,
} from './translation.ts';
import { LANGUAGES as LABELLED } from './x/syntax-table.ts';

export function toFirehose(unit: Unit): Rendering {
  switch (unit.kind) {
    case 'any':
      return alternatives(unit.of[0]);
    case 'term':
      return term(unit.field, unit.term);
    case 'literal':
      return words(unit.field, unit.text, 0, 'literal');
    case 'phrase':
      return words(unit.field, unit.terms.join(' '), unit.slop, 'phrase');
    case 'contains':
      return partOfAddress(unit.text);
    case 'sample':
      return { impossible: 'pages cannot be sampled' };
    case 'circle':
    case 'box':
      return { impossible: 'pages have no place' };
    case 'number':
      return { impossible: 'pages have no author whose followers or posts could be counted' };
    case 'upstream':
      return { impossible: 'only X judges by meaning' };
    case 'recent':
    case 'prefix':
    case 'wildcard':
    case 'regex':
    case 'fuzzy':
    case 'range':
    case 'exists':
      return { impossible: 'no rule for posts says this' };
  }
}

const IMPOSSIBLE: Readonly<Record<string, string>> = {
  from: 'pages have no account as author',
  to: 'pages are no replies',
  retweets_of: 'pages are not reposted',
  from_affiliate_of: 'pages have no account as author',
  to_affiliate_of: 'pages are no replies',
  bio: 'pages have no author profile',
  bio_name: 'pages have no author profile',
  bio_location: 'pages have no author profile',
  conversation_id: 'pages have no conversation',
  in_reply_to_tweet_id: 'pages are no replies',
  retweets_of_tweet_id: 'pages are not reposted',
  place: 'pages have no place',
  place_id: 'pages have no place',
  place_country: 'pages have no place',
  url_description: 'pages are not searched by their description',
  context: "X's topics do not exist for pages; use page_category",
  source: 'pages are not posted with an app',
  is: 'this is about how a post was made',
  has: 'this is about what a post carries',
};

const impossible = (field: string): Rendering => ({ impossible: IMPOSSIBLE[field] ?? 'pages do not have this' });

/** `lang:zh-CN` also takes posts that say no more than `zh`; `place:` is an id or words. */
function alternatives(first: Predicate): Rendering {
  if (first.kind !== 'term' || first.field !== 'lang') return impossible('place');
  const rendering = language(first.term);
  if ('impossible' in rendering) return rendering;
  return { ...rendering, verdict: 'narrower', reason: 'posts labelled just zh are either, and pages are always one' };
}

function term(field: string, value: string): Rendering {
  switch (field) {
    case 'hashtag':
    case 'mention':
    case 'cashtag':
      return standIn(value, `pages have no ${field}s: it finds the plain word and misses ${longerWords(value)}`);
    case 'entity':
      return standIn(value, 'pages have no recognised entities: it finds the name where it is written out');
    case 'lang':
      return language(value);
    default:
      return words(field, value, 0, 'term');
  }
}

function standIn(value: string, reason: string): Rendering {
  const rendering = words('text', value, 0, 'literal');
  return 'impossible' in rendering ? rendering : { ...rendering, verdict: 'differs', reason };
}

/** A post labelled just `zh` may be either on pages. */
function language(code: string): Rendering {
  if (code === 'zh') {
    return {
      query: any(['zh-cn', 'zh-tw'].map(languageIs)),
      verdict: 'wider',
      reason: 'pages are always one or the other',
    };
  }
  if (!LABELLED.has(code)) return { impossible: `X labels no post with the language "${code}"` };
  const label = languageOnPages(code);
  return VALUES.language.has(label)
    ? { query: languageIs(label), verdict: 'exact', reason: 'the language of the page' }
    : { impossible: `pages are not labelled with the language "${code}"` };
}

const languageIs = (code: string): Query => ({ kind: 'term', field: 'language', term: code });

type Form = 'term' | 'literal' | 'phrase';

function words(field: string, text: string, slop: number, form: Form): Rendering {
  if (field === 'text') return pageWords('added', text, slop, form);
  if (field === 'url_title') return pageWords('title', text, slop, form);
  return field === 'url' ? wordsOfAddress(text) : impossible(field);
}

function pageWords(field: 'added' | 'title', text: string, slop: number, form: Form): Rendering {
  const found = spellingsOnPages(text).flatMap((spelling) => {
    const query = wordsOnPages(field, spelling, slop);
    return query === undefined ? [] : [query];
  });
  if (found.length === 0) return { impossible: 'pages are not searched for words this common, nor for signs' };
  const query = any(found);
  const verdict = directionOf(query, text);
  const dropped = analyze(field, text).length < analyze('title', text).length || analyze(field, text).includes(null);
  const reason = reasonOf(query, text, form, verdict);
  const excluded = `pages that say ${longerWords(text)}, words of their own there, get through`;
  return {
    query,
    verdict,
    reason: dropped ? `${reason}; very common words are not looked at on pages` : reason,
    ...(verdict === 'narrower' && query.kind === 'term' && !isPlainIdeograph(text) && { excluded }),
  };
}

function wordsOnPages(field: string, text: string, slop: number): Query | undefined {
  const terms = analyze(field, text);
  const first = terms.findIndex((one) => one !== null);
  if (first < 0) return undefined;
  const kept = terms.slice(first);
  if (kept.length > 1) return { kind: 'phrase', field, terms: kept, slop };
  if (isOfRuns(text)) return { kind: 'wildcard', field, pattern: `*${escapeWildcard(text)}*` };
  return { kind: 'term', field, term: kept[0]! };
}

/** Only of a word that is the whole of what was asked for is it known that what a page holds, a post holds too. */
function directionOf(query: Query, text: string): Direction {
  const isWhole = query.kind === 'term' && query.term === text && (isPlainName(text) || isPlainIdeograph(text));
  return isWhole || isPlainEmoji(text) ? 'narrower' : 'differs';
}

function reasonOf(query: Query, text: string, form: Form, verdict: Direction): string {
  if (isPlainEmoji(text)) return 'in both of its styles';
  if (query.kind === 'wildcard')
    return 'on pages a run of this script is one word, in which the characters are looked for';
  if (query.kind === 'any') return 'capitals are read otherwise on pages, so that each spelling is asked for';
  if (query.kind === 'phrase') {
    return form === 'phrase'
      ? 'near to each other in the same way, but pages cut words in another way'
      : 'on pages any sign may stand between the words, and words may go on behind a sign';
  }
  if (query.kind === 'term' && query.term === text && !isPlainIdeograph(text)) {
    const missed = `it misses ${longerWords(text)}, words of their own on pages`;
    if (verdict === 'narrower') return missed;
    if (/i/.test(text)) return `${missed}, where also the capital İ is read as i`;
  }
  if (query.kind === 'term' && query.term !== text)
    return `on pages this is the word ${query.term} alone, whatever signs stand beside it`;
  return 'pages are cut into words in another way';
}

const ADDRESS = "a page's own address stands for the links in a post, and its capitals count";

function partOfAddress(text: string): Rendering {
  const query: Query = { kind: 'wildcard', field: 'url', pattern: `*${escapeWildcard(text)}*` };
  return { query, verdict: isAscii(text) ? 'narrower' : 'differs', reason: ADDRESS };
}

/** X cuts an address into words; on pages it is one value, in which one sign may stand between two of them. */
function wordsOfAddress(text: string): Rendering {
  const pattern = `*${text.split(' ').map(escapeWildcard).join('?')}*`;
  return {
    query: { kind: 'wildcard', field: 'url', pattern },
    verdict: 'differs',
    reason: `${ADDRESS}; the words may also be parts of longer ones`,
  };
}

export const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text);

/** Escapes every character that the parser would take for something else inside a wildcard. */
const escapeWildcard = (text: string): string => text.replace(/[!():^[\]"{}~*?\\/\s\u3000]/g, String.raw`\$&`);
