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
const RATED_WORDS = ['rated relevant', 'rated not relevant'] as const;

/** All words, those of the ratings first, and where those of each trait stand among them. */
const PHRASES = [...new Set([...RATED_WORDS, ...Object.values(WORDS).flatMap((words) => words ?? [])])];
const PLACES = TRAITS.map((trait) => {
  const [more, less] = WORDS[trait] ?? [];
  return { more: PHRASES.indexOf(more ?? ''), less: PHRASES.indexOf(less ?? '') };
});

export interface WordsOfRatings {
  readonly byWords: number;
  readonly alike: number;
}

/** A trait that counts for less is not worth a word. */
const LEAST = 0.15;

/**
 * Says the two words that speak most for a text, and the one that speaks most against it. `weights` and `row`: of each trait; `byWords`:
 * what the ratings say of the words; `alike`: how many texts that were rated so have the word that says most. Every match of a page has a
 * reason, so it is found without sorting.
 */
export function reasonOf(
  weights: readonly number[],
  row: readonly number[],
  { byWords, alike }: WordsOfRatings,
): string {
  const sums = PHRASES.map(() => 0);
  sums[byWords > 0 ? 0 : 1] = byWords;
  for (let at = 0; at < PLACES.length; at++) {
    const place = PLACES[at]![row[at]! > 0 ? 'more' : 'less'];
    if (place !== -1) sums[place]! += weights[at]! * row[at]!;
  }
  const first = strongest(sums, 1);
  const second = strongest(sums, 1, first);
  const worst = strongest(sums, -1);
  const phraseAt = (place: number): string =>
    place < RATED_WORDS.length ? `like ${alike} ${PHRASES[place]}` : PHRASES[place]!;
  const speaking = [first, second].filter((place) => place !== -1).map(phraseAt);
  const said = [
    ...(speaking.length > 0 ? [`for it: ${speaking.join(', ')}`] : []),
    ...(worst === -1 ? [] : [`against it: ${phraseAt(worst)}`]),
  ];
  return said.length === 0 ? 'nothing speaks for it or against it' : said.join('; ');
}

/** The place of the words that count most in one direction, but for those at another place; -1 where none count enough. */
function strongest(sums: readonly number[], direction: 1 | -1, other = -1): number {
  let found = -1;
  let most = LEAST;
  for (let at = 0; at < sums.length; at++) {
    const sum = direction * sums[at]!;
    if (at === other || sum < most) continue;
    most = sum;
    found = at;
  }
  return found;
}
