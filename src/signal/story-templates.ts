/**
 * Whether two texts are one form that was filled in differently: alarms of a kind tell of one thing each, though nearly all of their
 * words are the same. They stand in the same places, and what differs stands between them.
 */
import { isNumeral } from './word-numbers.ts';

/** Texts with other numerals: this share of the words is in the same places, and as many more or fewer words are allowed. */
const WITH_NUMERALS = { inPlace: 0.25, longer: 3, least: 1 };
/** Texts that differ in names alone must fit each other better, and have this many words: a short one may be said in another word. */
const WITH_NAMES = { inPlace: 0.5, longer: 1, least: 5 };

/** Or so many words, and this share of the shorter text, frame both, and nothing between is the same: the boilerplate of a source. */
const FRAME = { words: 5, share: 0.4 };

/** `own`: what nearly all events of a story have; `words`: those of an event. Both in the order of their texts. */
export function areFilledInDifferently(own: readonly number[], words: readonly number[]): boolean {
  const begin = sameAtBegin(own, words);
  const end = sameAtEnd(own, words, begin);
  const mine = othersIn(words, own, begin, end);
  const theirs = othersIn(own, words, begin, end);
  if (mine === 'none' || theirs === 'none') return false;
  const shorter = Math.min(own.length, words.length);
  if (isFrame(begin + end, shorter) && haveNothingBetween(own, words, begin, end)) return true;
  const inPlace = Math.max(begin + end, sameInPlace(own, words)) / shorter;
  const longer = Math.max(own.length, words.length) - shorter;
  const form = mine === 'numerals' && theirs === 'numerals' ? WITH_NUMERALS : WITH_NAMES;
  return shorter >= form.least && inPlace >= form.inPlace && longer <= form.longer;
}

const isFrame = (same: number, shorter: number): boolean =>
  same >= FRAME.words && same >= FRAME.share * shorter && same < shorter;

/** In common. */
function haveNothingBetween(own: readonly number[], words: readonly number[], begin: number, end: number): boolean {
  const others = new Set(own.slice(begin, own.length - end));
  return words.slice(begin, words.length - end).every((word) => !others.has(word));
}

function sameAtBegin(one: readonly number[], other: readonly number[]): number {
  let count = 0;
  while (count < one.length && count < other.length && one[count] === other[count]) count++;
  return count;
}

function sameAtEnd(one: readonly number[], other: readonly number[], begin: number): number {
  const most = Math.min(one.length, other.length) - begin;
  let count = 0;
  while (count < most && one[one.length - 1 - count] === other[other.length - 1 - count]) count++;
  return count;
}

function sameInPlace(one: readonly number[], other: readonly number[]): number {
  let count = 0;
  for (let at = 0; at < one.length && at < other.length; at++) if (one[at] === other[at]) count++;
  return count;
}

/** The kind of words that the first has between its beginning and its end and the second has not. */
function othersIn(
  words: readonly number[],
  of: readonly number[],
  begin: number,
  end: number,
): 'none' | 'words' | 'numerals' {
  let found: 'none' | 'words' = 'none';
  for (let at = begin; at < words.length - end; at++) {
    const word = words[at]!;
    if (of.includes(word)) continue;
    if (isNumeral(word)) return 'numerals';
    found = 'words';
  }
  return found;
}
