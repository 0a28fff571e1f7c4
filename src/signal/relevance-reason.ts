/** Why a text is as relevant as it is, in words. They are ours: nothing that a stranger wrote is in them. */
import { TRAITS, type Trait } from './prior.ts';

export interface RelevanceReason {
  /** The basis of the number, for instance `a first guess`. */
  readonly basis: string;
  /** The reasons for the text and against it. */
  readonly reason: string;
}

export const ratingBasis = (ratings: number): string => {
  if (ratings === 0) return 'a first guess';
  return ratings === 1 ? 'by 1 rating' : `by ${ratings} ratings`;
};

/**
 * The words for a text that has more of a trait than usual, and less. Traits with the same words count together. A
 * trait of most texts tells a reader nothing, such as that one is no repost: it has no words.
 */
const WORDS: Readonly<Record<Trait, readonly [more: string, less?: string] | undefined>> = {
  links: ['with a link', 'without a link'],
  hashtags: ['with many tags'],
  mentions: ['with a mention'],
  repost: ['a repost'],
  numbers: ['with figures', 'without figures'],
  personalWords: ['written like chat', 'written like a report'],
  personalShare: ['written like chat', 'written like a report'],
  exclamations: ['with an exclamation'],
  questions: ['a question'],
  names: ['with many names', 'with few names'],
  capitals: ['with words in capitals'],
  emoticon: ['with an emoticon'],
  logSize: ['long', 'short'],
  size: ['long', 'short'],
  colon: undefined,
  usualWords: ['like most matches of this rule', 'unlike most matches of this rule'],
  intentWords: ['close to the intent', 'far from the intent'],
};
const RATED_WORDS = ['like those rated relevant', 'like those rated not relevant'] as const;

/** A trait that counts for less is not worth a word. */
const LEAST = 0.15;
const [MOST_FOR, MOST_AGAINST] = [2, 1];

/** `weights` and `row`: of each trait; `byWords`: what the ratings say of the words. */
export function reasonOf(weights: readonly number[], row: readonly number[], byWords: number): string {
  const sums = new Map<string, number>([[RATED_WORDS[byWords > 0 ? 0 : 1], byWords]]);
  for (const [at, trait] of TRAITS.entries()) {
    const words = WORDS[trait]?.[row[at]! > 0 ? 0 : 1];
    if (words !== undefined) sums.set(words, (sums.get(words) ?? 0) + weights[at]! * row[at]!);
  }
  const sorted = [...sums].toSorted(([, one], [, other]) => other - one);
  const speaking = sorted.filter(([, sum]) => sum >= LEAST).slice(0, MOST_FOR);
  const against = sorted.filter(([, sum]) => sum <= -LEAST).slice(-MOST_AGAINST);
  const said = [
    ...(speaking.length > 0 ? [`for it: ${namesOf(speaking)}`] : []),
    ...(against.length > 0 ? [`against it: ${namesOf(against)}`] : []),
  ];
  return said.length === 0 ? 'nothing speaks for it or against it' : said.join('; ');
}

const namesOf = (sums: readonly (readonly [string, number])[]): string => sums.map(([words]) => words).join(', ');
