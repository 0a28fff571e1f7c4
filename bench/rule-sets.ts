/**
 * The rule sets, as text in the platform's language, from a seeded generator over the words of a corpus. A set of a
 * thousand is the beginning of the set of a million.
 *
 *  A  what people monitor: 40 % one keyword, hashtag or phrase; 30 % `(a OR b OR c) d`; 20 % `a b -c -d`; 10 % two phrases
 *     and a field. Of the words that name what is watched, 60 % are in no event; the others go from rare to common.
 *  B  five required words, one of each band from common to rare, and two excluded ones; in one rule of ten, the bands are
 *     those of the words of one real event.
 *  C  no words of texts at all: authors or domains, languages, links, what a post has in it. Of the authors and hosts, 60 %
 *     are in no event.
 *  W  wildcards and regular expressions over single words of pages: words that begin, end or go on in some way. Posts have no such rules.
 *
 * A and B also come as rules that match less: the same kinds, with rarer words and fewer words from one real event.
 */
import type { Platform } from '../src/domain/platform.ts';
import { type Analyzer, type EventView, isRejection } from '../src/engine/events/event-view.ts';
import { inventWord, logUniform, pick, type Random, randomFrom } from './random.ts';

export type SetName = 'A' | 'B' | 'C' | 'W';
export const SETS: Readonly<Record<Platform, readonly SetName[]>> = {
  x: ['A', 'B', 'C'],
  firehose: ['A', 'B', 'C', 'W'],
};

/** How often the rules of a set match. */
export type MatchRate = 'many' | 'few';
export const MATCH_RATES: readonly MatchRate[] = ['many', 'few'];

export interface Vocabulary {
  /** From common to rare; from `monitored` on, words that a rule may monitor. */
  readonly words: readonly string[];
  readonly monitored: Readonly<Record<MatchRate, number>>;
  /** The words of some events, each once, from common to rare. */
  readonly events: readonly (readonly string[])[];
  /** Words that stand side by side in some event. */
  readonly phrases: readonly string[];
  /** Names of authors, and hosts of links or pages. */
  readonly authors: readonly string[];
  readonly hosts: readonly string[];
}

/** Rules do not monitor a word that is in more than one of this many events: it would match too much to read. */
const TOO_COMMON: Readonly<Record<MatchRate, number>> = { many: 200, few: 700 };
/** The share of phrases that stand in no event, and of rules of set B whose words are those of one event. */
const INVENTED_PHRASES: Readonly<Record<MatchRate, number>> = { many: 0.6, few: 0.87 };
const REAL_EVENTS: Readonly<Record<MatchRate, number>> = { many: 0.1, few: 0.01 };
const BRANDS = 200_000;
const EVENTS_KEPT = 2_000;
/** Words that a rule of set B requires. */
const REQUIRED = 5;
/** Words that the languages read as something else. */
const NOT_WORDS = new Set(['and', 'or', 'not', 'to']);

export function vocabularyOf(platform: Platform, payloads: readonly unknown[], analyze: Analyzer): Vocabulary {
  const counts = new Map<string, number>();
  const events: string[][] = [];
  const phrases: string[] = [];
  const authors = new Set<string>();
  const hosts = new Set<string>();
  const field = platform === 'x' ? 'text' : 'added';
  for (const [index, payload] of payloads.entries()) {
    const view = analyze(payload);
    if (isRejection(view)) continue;
    for (const piece of view.pieces) {
      if (piece.field === 'from' && !piece.text.startsWith('u-')) authors.add(piece.text);
      if (piece.field === 'url') addHost(hosts, piece.text);
    }
    const words = [...new Set(wordsOf(view, field))];
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
    if (index % Math.ceil(payloads.length / EVENTS_KEPT) !== 0 || words.length < 5) continue;
    events.push(words);
    phrases.push(...phrasesOf(view, field));
  }
  const words = [...counts.keys()].toSorted((a, b) => counts.get(b)! - counts.get(a)! || (a < b ? -1 : 1));
  for (const event of events) event.sort((a, b) => counts.get(b)! - counts.get(a)!);
  const rarerThan = (share: number) => words.findIndex((word) => counts.get(word)! * share < payloads.length);
  const monitored = { many: rarerThan(TOO_COMMON.many), few: rarerThan(TOO_COMMON.few) };
  return { words, monitored, events, phrases, authors: [...authors], hosts: [...hosts] };
}

function addHost(hosts: Set<string>, url: string): void {
  const host = /^(?:https?:\/\/)?([a-z0-9.-]+\.[a-z]{2,})(?:\/|$)/.exec(url)?.[1];
  if (host !== undefined) hosts.add(host);
}

function* wordsOf({ words, pieces }: EventView, field: string): Iterable<string> {
  for (let at = 0; at < words.count; at++) {
    const piece = pieces[words.pieces[at]!]!;
    const word = piece.text.slice(words.starts[at], words.ends[at]);
    if (piece.field === field && /^[\p{L}\p{N}]+$/u.test(word) && !NOT_WORDS.has(word)) yield word;
  }
}

function* phrasesOf({ words, pieces }: EventView, field: string): Iterable<string> {
  for (let at = 1; at < words.count; at++) {
    const piece = pieces[words.pieces[at]!]!;
    if (piece.field !== field || words.pieces[at - 1] !== words.pieces[at]) continue;
    const both = piece.text.slice(words.starts[at - 1], words.ends[at]);
    if (/^[\p{L}\p{N}]+ [\p{L}\p{N}]+$/u.test(both)) yield both;
  }
}

/** Rule texts without end. */
export function* rulesOf(
  set: SetName,
  platform: Platform,
  vocabulary: Vocabulary,
  rate: MatchRate = 'many',
): Generator<string, never> {
  const random = randomFrom({ A: 11, B: 12, C: 13, W: 14 }[set]);
  const brands = Array.from({ length: BRANDS }, () => inventWord(random, 2 + Math.floor(random() * 2)));
  const write = platform === 'x' ? writeX : writeFirehose;
  const source = { random, brands, vocabulary, rate };
  const structured = platform === 'x' ? structuredPostRule : structuredPageRule;
  const rule = { A: monitoringRule, B: wideRule, C: structured, W: patternRule }[set];
  for (;;) yield rule(source, write);
}

interface Source {
  readonly random: Random;
  readonly brands: readonly string[];
  readonly vocabulary: Vocabulary;
  readonly rate: MatchRate;
}

const commonToRare = ({ random, vocabulary: { words } }: Source): string =>
  words[logUniform(random, 1, words.length + 1) - 1]!;

function brand({ random, brands, vocabulary: { words, monitored }, rate }: Source): string {
  return random() < 0.6 ? pick(random, brands) : words[logUniform(random, monitored[rate] + 1, words.length + 1) - 1]!;
}

/** A brand with a word beside it, or words that do follow each other somewhere. */
function phrase(source: Source): string {
  const { random, vocabulary, rate } = source;
  return random() < INVENTED_PHRASES[rate]
    ? `"${brand(source)} ${commonToRare(source)}"`
    : `"${pick(random, vocabulary.phrases)}"`;
}

interface Writer {
  readonly all: (...parts: string[]) => string;
  readonly any: (...parts: string[]) => string;
  readonly not: (part: string) => string;
  readonly tag: (word: string) => string;
  readonly filter: (random: Random) => string;
}

const LANGUAGES = ['en', 'de', 'es', 'fr', 'it', 'pt'];

const writeX: Writer = {
  all: (...parts) => parts.join(' '),
  any: (...parts) => `(${parts.join(' OR ')})`,
  not: (part) => `-${part}`,
  tag: (word) => `#${word}`,
  filter: (random) => `lang:${pick(random, LANGUAGES)}`,
};

const writeFirehose: Writer = {
  all: (...parts) => parts.join(' AND '),
  any: (...parts) => `(${parts.join(' OR ')})`,
  not: (part) => `NOT ${part}`,
  tag: (word) => `title:${word}`,
  filter: (random) => `language:${pick(random, LANGUAGES)}`,
};

function monitoringRule(source: Source, { all, any, not, tag, filter }: Writer): string {
  const { random } = source;
  const kind = random();
  if (kind < 0.4) return pick(random, [brand, (from: Source) => tag(brand(from)), phrase])(source);
  if (kind < 0.7) return all(any(brand(source), brand(source), brand(source)), commonToRare(source));
  if (kind < 0.9) return all(brand(source), commonToRare(source), not(commonToRare(source)), not(brand(source)));
  return all(any(phrase(source), phrase(source)), filter(random));
}

function wideRule(source: Source, { all, not }: Writer): string {
  const { random, vocabulary, rate } = source;
  const real = random() < REAL_EVENTS[rate] ? pick(random, vocabulary.events) : undefined;
  const required = new Set<string>();
  for (let band = 0; required.size < REQUIRED; band = (band + 1) % REQUIRED) {
    required.add(real === undefined ? wordOfBand(source, band) : wordOfFifth(random, real, band));
  }
  return all(...required, not(commonToRare(source)), not(commonToRare(source)));
}

/** Band 0 holds the commonest words, the last one the rarest; each has as many times more words as the one before. */
function wordOfBand({ random, vocabulary: { words } }: Source, band: number): string {
  const edge = (share: number) => (words.length + 1) ** (share / REQUIRED);
  return words[Math.min(words.length, logUniform(random, edge(band), edge(band + 1))) - 1]!;
}

const wordOfFifth = (random: Random, words: readonly string[], fifth: number): string =>
  words[Math.floor(((fifth + random()) / REQUIRED) * words.length)]!;

const someOf = ({ random, brands }: Source, known: readonly string[], invent: (name: string) => string): string =>
  known.length === 0 || random() < 0.6 ? invent(pick(random, brands)) : pick(random, known);

const author = (source: Source): string => `from:${someOf(source, source.vocabulary.authors, (name) => name)}`;
const host = (source: Source): string => someOf(source, source.vocabulary.hosts, (name) => `${name}.com`);

const CONTENTS = ['has:links', 'has:hashtags', 'has:mentions', 'has:media'];

function structuredPostRule(source: Source, { all, any, not, filter }: Writer): string {
  const { random } = source;
  const kind = random();
  if (kind < 0.4) return author(source);
  if (kind < 0.6) return all(author(source), filter(random));
  if (kind < 0.75) return all(any(author(source), author(source), author(source)), pick(random, CONTENTS));
  if (kind < 0.9) return all(`url:"${host(source)}"`, filter(random));
  return all(author(source), filter(random), not(pick(random, CONTENTS)));
}

function structuredPageRule(source: Source, { all, any, not, filter }: Writer): string {
  const { random } = source;
  const domain = () => `domain:${host(source)}`;
  const kind = random();
  if (kind < 0.4) return domain();
  if (kind < 0.6) return all(domain(), filter(random));
  if (kind < 0.8) return all(any(domain(), domain(), domain()), filter(random));
  if (kind < 0.9) return `url:"https://${host(source)}/"`;
  return all(domain(), not(filter(random)));
}

/** A word long enough to be cut: whole, its beginning and its end. */
function cutWord(source: Source): { readonly word: string; readonly head: string; readonly tail: string } {
  for (;;) {
    const word = brand(source);
    const middle = Math.ceil(word.length / 2);
    if (/^[a-z]{7,20}$/.test(word)) return { word, head: word.slice(0, middle + 1), tail: word.slice(middle) };
  }
}

function patternRule(source: Source, { all, any, not }: Writer): string {
  const { random } = source;
  const kind = random();
  if (kind < 0.8) return onePattern(source);
  if (kind < 0.9) return any(onePattern(source), onePattern(source));
  return all(onePattern(source), commonToRare(source), not(onePattern(source)));
}

function onePattern(source: Source): string {
  const { random } = source;
  const { word, head, tail } = cutWord(source);
  const at = 1 + Math.floor(random() * (word.length - 2));
  const kind = random();
  if (kind < 0.3) return `${head}*`;
  if (kind < 0.45) return `*${tail}`;
  if (kind < 0.6) return `${word.slice(0, at)}*${word.slice(at + 1)}`;
  if (kind < 0.7) return `${word.slice(0, at)}?${word.slice(at + 1)}`;
  if (kind < 0.8) return `/${head}[a-z]{1,4}/`;
  if (kind < 0.9) return `/${word}(s|es|ed|ing)?/`;
  return `/[a-z0-9]{2,}${tail}/`;
}
