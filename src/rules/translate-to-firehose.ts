/** What a predicate about posts becomes when it is asked of pages. Words are looked for in what a page added. */
import { VALUES } from './firehose/labels.ts';
import { fold, isStopWord, scanWords } from './firehose/words.ts';
import type { Predicate, Query } from './query.ts';
import type { Rendering } from './translation.ts';
import { cutWords } from './words.ts';

export function toFirehose(predicate: Predicate): Rendering {
  switch (predicate.kind) {
    case 'term':
      return term(predicate.field, predicate.term);
    case 'literal':
      return words(
        predicate.field,
        predicate.text,
        0,
        'punctuation between the words does not count on pages',
        'wider',
      );
    case 'phrase':
      return words(
        predicate.field,
        predicate.terms.join(' '),
        predicate.slop,
        'the same words, as near to each other',
        'exact',
      );
    case 'contains':
      return {
        query: { kind: 'wildcard', field: 'url', pattern: `*${escapeWildcard(predicate.text)}*` },
        ...OWN_ADDRESS,
      };
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

const OWN_ADDRESS = { verdict: 'narrower', reason: "a page's own address stands for the links in a post" } as const;

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
  context: "X's topics do not exist for pages; use page_category",
  source: 'pages are not posted with an app',
  is: 'this is about how a post was made',
  has: 'this is about what a post carries',
};

function term(field: string, value: string): Rendering {
  switch (field) {
    case 'text':
      return words('text', value, 0, 'the same word in what the page added', 'exact');
    case 'hashtag':
    case 'mention':
    case 'cashtag':
      return words('text', value, 0, `pages have no ${field}s: the plain word is looked for`, 'wider');
    case 'entity':
      return words(
        'text',
        value,
        0,
        'only where the name is written out: pages have no recognised entities',
        'narrower',
      );
    case 'lang':
      return language(LANGUAGES[value] ?? value);
    default:
      return field === 'url' || field === 'url_title' || field === 'url_description'
        ? words(field, value, 0, 'the same word', 'exact')
        : { impossible: IMPOSSIBLE[field] ?? 'pages do not have this' };
  }
}

/** Codes that X still writes the old way. */
const LANGUAGES: Readonly<Record<string, string>> = { iw: 'he', in: 'id', zh: 'zh-cn' };

function language(code: string): Rendering {
  if (!VALUES.language.has(code)) return { impossible: `pages are not labelled with the language "${code}"` };
  return {
    query: { kind: 'term', field: 'language', term: code },
    verdict: 'exact',
    reason: 'the language of the page',
  };
}

function words(
  field: string,
  text: string,
  slop: number,
  reason: string,
  verdict: 'exact' | 'wider' | 'narrower',
): Rendering {
  switch (field) {
    case 'text':
      return pageWords('added', text, slop, reason, verdict);
    case 'url_title':
      return pageWords('title', text, slop, "a page's own title stands for the title of a linked page", 'narrower');
    case 'url': {
      const pattern = `*${text.split(' ').map(escapeWildcard).join('*')}*`;
      return { query: { kind: 'wildcard', field: 'url', pattern }, ...OWN_ADDRESS };
    }
    default:
      return { impossible: IMPOSSIBLE[field] ?? 'pages do not have this' };
  }
}

function pageWords(
  field: string,
  text: string,
  slop: number,
  reason: string,
  verdict: 'exact' | 'wider' | 'narrower',
): Rendering {
  const keepsStopWords = field === 'title';
  const terms = cutWords(fold(text), scanWords).map((word) =>
    !keepsStopWords && isStopWord(word, 0, word.length) ? null : word,
  );
  const kept = terms.filter((word) => word !== null);
  if (kept.length === 0) return { impossible: 'pages are not searched for words this common, nor for signs' };
  const first = terms.findIndex((word) => word !== null);
  const last = terms.findLastIndex((word) => word !== null);
  const trimmed = terms.slice(first, last + 1);
  const query: Query =
    trimmed.length === 1 ? { kind: 'term', field, term: kept[0]! } : { kind: 'phrase', field, terms: trimmed, slop };
  if (kept.length === terms.length) return { query, verdict, reason };
  return { query, verdict: 'wider', reason: 'very common words are not looked at on pages' };
}

const escapeWildcard = (text: string): string => text.replace(/[*?\\]/g, String.raw`\$&`);
