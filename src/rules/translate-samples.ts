/**
 * Texts to try a rule and its translation on: what the rule asks for, as people write it. Each says what is special about
 * it, so that the report can name what is lost.
 */
import { normalize } from '../base/normalize.ts';
import type { Predicate, Query } from './query.ts';
import { languageOnPosts } from './translation.ts';
import { isSpaceless } from './x/words.ts';

/** Content that a post and a page may both have. */
export interface Content {
  /** Another one in each sample: a share of all posts is chosen by it. */
  readonly id?: string;
  readonly text: string;
  readonly title?: string;
  /** The page's own address, and a link in the post. */
  readonly link?: string;
  /** As X writes it. */
  readonly language?: string;
  /** The other facts that the rule asks for: only its own platform has them. */
  readonly facts?: readonly AskedFact[];
}

/** A predicate, and a text that satisfies it; the text is empty where it asks for none. */
export interface AskedFact {
  readonly predicate: Predicate;
  readonly text: string;
}

export interface Sample extends Content {
  /** It is undefined when several things are special at once, or none. */
  readonly special: string | undefined;
}

/** The text that one predicate looks for, and its place. */
interface Wanted {
  readonly place: 'text' | 'title' | 'link' | 'language' | 'fact';
  readonly text: string;
  readonly words: readonly string[];
  readonly sign: string;
  readonly negated: boolean;
  readonly predicate: Predicate;
}

/** The name of the first sample. When it makes a difference, the special traits of the others explain nothing. */
export const AS_WRITTEN = 'the rule as it is written';

/** More predicates than this say nothing new. */
const MOST_WANTED = 40;

interface Variation {
  readonly name: string;
  readonly write: (wanted: Wanted) => string;
}

const between = (name: string, joiner: string): Variation => ({
  name,
  write: ({ sign, words, text }) => (words.length > 1 ? sign + words.join(joiner) : `${text}${joiner}old`),
});
const ending = (name: string, end: string): Variation => ({ name, write: ({ sign, text }) => sign + text + end });

const PLAIN: Variation = { name: '', write: ({ sign, text }) => sign + text };
const VARIATIONS: readonly Variation[] = [
  ending('possessives', "'s"),
  ending('possessives', '’s'),
  ending('names with a dot', '.com'),
  ending('underscores', '_model'),
  ending('hyphens', '-like'),
  ending('longer words', 's'),
  between('hyphens', '-'),
  between('signs between the words', ', '),
  between('line breaks', '\n'),
  between('words in between', ' old '),
  between('words side by side', ' '),
  between('words written together', ''),
  { name: 'another order', write: ({ words }) => words.toReversed().join(' ') },
  { name: 'capitals', write: ({ sign, text }) => sign + text.toUpperCase() },
  { name: 'the capital İ', write: ({ sign, text }) => sign + text.replaceAll(/i̇|i/gu, 'İ') },
  { name: 'accents written apart', write: ({ sign, text }) => sign + normalize(text, 'NFD') },
  { name: 'hashtags', write: ({ text }) => `#${text}` },
  { name: 'mentions', write: ({ text }) => `@${text}` },
  { name: 'plain words', write: ({ text }) => text },
  { name: 'longer runs', write: ({ text }) => text + text },
  { name: 'words of links', write: ({ words }) => `https://a.test/${words.join('-')}` },
  { name: 'quoted words', write: ({ text }) => `“${text}”` },
];

/** Makes the same texts for the same query, at most `most` of them: each variation on all words, then on some. */
export function samplesFor(query: Query, most: number): Sample[] {
  const wanted: Wanted[] = [];
  gather(query, false, wanted);
  const positive = wanted.filter((one) => !one.negated);
  const samples: Sample[] = [{ ...written(positive, () => PLAIN), special: AS_WRITTEN }];
  for (const variation of VARIATIONS) {
    samples.push({ ...written(positive, () => variation), special: variation.name });
    for (const one of wanted.filter(({ place }) => place !== 'fact').slice(0, 4)) {
      const others = positive.filter((other) => other !== one);
      const how = (each: Wanted) => (each === one ? variation : PLAIN);
      samples.push({ ...written([...others, one], how), special: variation.name });
    }
  }
  const random = steps(wanted.length);
  while (samples.length < most) samples.push({ ...mixed(wanted, random), special: undefined });
  return samples.slice(0, most).map((sample, at) => ({ ...sample, id: String(at + 1) }));
}

/** Some of what is wanted, each in a way of its own. */
function mixed(wanted: readonly Wanted[], random: () => number): Content {
  const some = wanted.filter(() => random() < 0.6);
  return written(some, () => (random() < 0.4 ? PLAIN : VARIATIONS[Math.floor(random() * VARIATIONS.length)]!));
}

/** A fixed course of numbers: the report on a rule is the same each time. */
function steps(seed: number): () => number {
  let state = seed + 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function written(wanted: readonly Wanted[], how: (wanted: Wanted) => Variation): Content {
  const at = (place: Wanted['place']) => wanted.filter((one) => one.place === place);
  const texts = (place: 'text' | 'title') => at(place).map((one) => how(one).write(one));
  const [title, link, language] = [texts('title').join(' '), at('link')[0]?.text, at('language')[0]?.text];
  const facts = at('fact').map(({ predicate, text }) => ({ predicate, text }));
  // The text of a page's link is part of its text.
  const shown = at('fact').flatMap(({ predicate, text }) => (isAlsoText(predicate) ? [text] : []));
  return {
    text: ['so', ...texts('text'), ...shown, 'then'].join(' '),
    ...(title !== '' && { title }),
    ...(link !== undefined && { link }),
    ...(language !== undefined && { language }),
    ...(facts.length > 0 && { facts }),
  };
}

function gather(query: Query, negated: boolean, into: Wanted[]): void {
  if (into.length >= MOST_WANTED) return;
  if (query.kind === 'all' || query.kind === 'any') for (const part of query.of) gather(part, negated, into);
  else if (query.kind === 'not') gather(query.query, !negated, into);
  else if (query.kind !== 'everything' && query.kind !== 'nothing') {
    into.push(...wantedBy(query, negated));
  }
}

const SIGNS: Readonly<Record<string, string>> = { hashtag: '#', mention: '@', cashtag: '$' };
/** The sign in the text of a post that has this. */
const CONTENTS: Readonly<Record<string, string>> = { hashtags: '#tag', mentions: '@somebody', cashtags: '$TAG' };
const TEXTS: readonly string[] = ['text', 'added', 'added_anchor', 'entity', 'hashtag', 'mention', 'cashtag'];
/** Texts that are looked for in a place of their own, too. */
const isAlsoText = (predicate: Predicate): boolean =>
  'field' in predicate && ['added_anchor', 'entity'].includes(predicate.field);

function wantedBy(predicate: Predicate, negated: boolean): readonly Wanted[] {
  const field = 'field' in predicate ? predicate.field : '';
  const { text, words } = textOf(predicate) ?? { text: '', words: [] };
  const make = (place: Wanted['place'], value = text): Wanted => ({
    place,
    text: value,
    words,
    sign: SIGNS[field] ?? '',
    negated,
    predicate,
  });
  const isText = textOf(predicate) !== undefined;
  if (isText && field === 'has' && text === 'links') return [make('link', 'https://a.test/x')];
  if (isText && field === 'has' && text in CONTENTS) return [make('text', CONTENTS[text])];
  if (isText && TEXTS.includes(field)) return isAlsoText(predicate) ? [make('text'), make('fact')] : [make('text')];
  if (isText && (field === 'title' || field === 'url_title')) return [make('title')];
  if (isText && field === 'lang') return [make('language')];
  if (isText && field === 'language') return [make('language', languageOnPosts(text))];
  if (isText && (field === 'url' || field === 'domain')) return [make('link', linkOf(predicate, text))];
  return [make('fact')];
}

function textOf(predicate: Predicate): { text: string; words: readonly string[] } | undefined {
  switch (predicate.kind) {
    case 'term':
    case 'fuzzy':
      return { text: predicate.term, words: [predicate.term] };
    case 'literal':
      return { text: predicate.text, words: predicate.terms };
    case 'phrase': {
      const words = predicate.terms.map((term) => term ?? 'the');
      const joiner = predicate.field === 'url' ? '.' : words.every(isSpaceless) ? '' : ' ';
      return { text: words.join(joiner), words };
    }
    case 'contains':
      return { text: predicate.text, words: [predicate.text] };
    case 'prefix':
      return { text: predicate.prefix, words: [predicate.prefix] };
    case 'wildcard': {
      const text = predicate.pattern.replace(/\\(.)|[*?]/gsu, (_, plain?: string) => plain ?? 'x');
      return { text, words: [text] };
    }
    default:
      return undefined;
  }
}

/** A pattern that begins anywhere fits the end of an address. */
const linkOf = (predicate: Predicate, text: string): string =>
  predicate.kind === 'wildcard' && predicate.pattern.startsWith('*') ? `https://a.test/${text}` : linkWith(text);

const linkWith = (part: string): string =>
  /^https?:\/\//.test(part)
    ? part
    : `https://${/^[\w-]/.test(part) ? '' : 'a.test'}${part}${part.includes('/') ? '' : '/x'}`;
