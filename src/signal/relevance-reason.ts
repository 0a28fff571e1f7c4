/** Why a text is as relevant as it is, in words. They are ours: nothing that a stranger wrote is in them. */
import { TRAITS, type Trait } from './prior.ts';

export interface RelevanceReason {
  /** What the number rests on. */
  readonly basis: string;
  /** What speaks for the text and against it. */
  readonly reason: string;
}

export const ratingBasis = (ratings: number): string => {
  if (ratings === 0) return 'by the intent alone';
  return ratings === 1 ? 'by 1 rating' : `by ${ratings} ratings`;
};

/** What a text has more of than usual, and less. Traits with the same words count together; one without words is not named. */
const WORDS: Readonly<Record<Trait, readonly [more: string, less: string] | undefined>> = {
  links: ['a link', 'no link'],
  hashtags: ['many tags', 'few tags'],
  mentions: ['a mention', 'no mention'],
  repost: ['a repost', 'no repost'],
  numbers: ['numbers', 'no numbers'],
  personalWords: ['personal words', 'no personal words'],
  personalShare: ['personal words', 'no personal words'],
  exclamations: ['an exclamation', 'no exclamation'],
  questions: ['a question', 'no question'],
  names: ['names', 'few names'],
  capitals: ['words in capitals', 'no words in capitals'],
  emoticon: ['an emoticon', 'no emoticon'],
  logSize: ['a long text', 'a short text'],
  size: ['a long text', 'a short text'],
  colon: undefined,
  usualWords: ['words that are usual for the rule', 'words that are unusual for the rule'],
  intentWords: ['words of the intent', 'few words of the intent'],
};
const RATED_WORDS = ['words of matches rated relevant', 'words of matches rated irrelevant'] as const;

/** What counts for less is not worth a word. */
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
