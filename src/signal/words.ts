/**
 * The words by which two texts are compared: folded, without endings, links and the commonest words. This is not the
 * analysis by which rules match: two texts that tell the same may use other forms of a word.
 */
import { trimEnd } from '../base/parse-url.ts';

/** A longer text is compared by its beginning, which says what it is about. */
export const MAX_CHARACTERS = 400;
export const MAX_WORDS = 48;

const BEYOND_ASCII = /[\u0080-\uffff]/;
const LINK = /https?:\/\/\S+|\bwww\.\S+/gi;
const MENTION = /(?:^|\s)(?:rt\s+)?@\w+:?/gi;
const ASCII_WORD = /[a-z0-9][a-z0-9'.]*/g;
const WORD = /[\p{L}\p{N}][\p{L}\p{N}'’.]*/gu;
/** Scripts that are written without spaces are compared by pairs of characters; names and numbers in Latin letters between them, as words. */
export const IS_UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;

const PARTS = /[0-9]+(?:\.[0-9]+)*|[a-z]+|[^a-z0-9]+/g;

/** In the order of the text, repeats included. Most texts have no link, no mention and no letter beyond ASCII. */
export function comparedWords(text: string): string[] {
  const plain = plainText(text.slice(0, MAX_CHARACTERS));
  const isAscii = !BEYOND_ASCII.test(plain);
  const words: string[] = [];
  for (const found of plain.toLowerCase().match(isAscii ? ASCII_WORD : WORD) ?? []) {
    if (words.length >= MAX_WORDS) break;
    if (COMMON_WORDS.has(found)) continue;
    if (isAscii || !IS_UNSPACED.test(found)) addStem(words, found);
    else addParts(words, found);
  }
  return words.length > MAX_WORDS ? words.slice(0, MAX_WORDS) : words;
}

function addParts(words: string[], run: string): void {
  for (const part of run.match(PARTS) ?? []) {
    if (IS_UNSPACED.test(part)) words.push(...pairs(part));
    else addStem(words, part);
  }
}

/** Latin letters without their accents: the same name is written with and without them, by language and keyboard. */
const ACCENTED = /[\u00c0-\u024f]/g;
const STROKES: Readonly<Record<string, string>> = { Ø: 'O', ø: 'o', Ł: 'L', ł: 'l', Đ: 'D', đ: 'd' };
const BASES = Array.from({ length: 0x250 }, (_, code) => baseOf(String.fromCharCode(code)));

function baseOf(letter: string): string {
  const base = letter.normalize('NFD').charAt(0);
  return STROKES[letter] ?? (/[a-z]/i.test(base) ? base : letter);
}

const withoutAccents = (text: string): string =>
  text.replaceAll(ACCENTED, (letter) => BASES[letter.charCodeAt(0)] ?? letter);

/** Without links, mentions and accents, and in one form of each character. */
export function plainText(text: string): string {
  const unlinked = text.includes('://') || /www\./i.test(text) ? text.replaceAll(LINK, ' ') : text;
  const unnamed = unlinked.includes('@') ? unlinked.replaceAll(MENTION, ' ') : unlinked;
  return BEYOND_ASCII.test(unnamed) ? withoutAccents(unnamed.normalize('NFKC')) : unnamed;
}

function addStem(words: string[], word: string): void {
  const stem = stemOf(word);
  if (stem.length > 1 && !COMMON_WORDS.has(stem)) words.push(stem);
}

export const ENDINGS = ['ings', 'ing', 'ed', 'ies', 'es', 's'];
/** A stem keeps this many characters before an ending is cut, and has at most ten. */
export const MIN_STEM = 4;
export const MAX_STEM = 10;

function stemOf(word: string): string {
  const bare = word.includes("'") || word.includes('’') || word.includes('.') ? bareOf(word) : word;
  const ending = bare.length > MIN_STEM ? ENDINGS.find((end) => endsWith(bare, end)) : undefined;
  return bare.slice(0, ending === undefined ? MAX_STEM : Math.min(MAX_STEM, bare.length - ending.length));
}

const bareOf = (word: string): string => trimEnd(word.replace(/['’]s$/, ''), "'’.&-");

const endsWith = (word: string, end: string): boolean => word.length - end.length >= MIN_STEM && word.endsWith(end);

function pairs(run: string): string[] {
  const characters = Array.from(run);
  if (characters.length < 2) return characters;
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}

/** Whether a word tells nothing about what a text is about. */
export const isCommonWord = (word: string): boolean => COMMON_WORDS.has(word);

/** Words that tell nothing about what a text is about, in the languages that are most written. */
export const COMMON_WORDS: ReadonlySet<string> = new Set(
  `a an the of in on at to for and or but is are was were be been being it its this that these those with by from as has
  have had not no new how what why who when where which will would can could may might more most after before over out up
  down off into about than then you your we our they their them he his him she her i my me us so just all also says say
  said get gets got watch video first day week year via amp rt am im do does did if there here now one two
  el la los las un una de del en y o que es por para con se su al lo como mas no si ya
  le les des du et en un une est pour que qui dans sur au aux pas plus ce il elle
  der die das den dem des und ist im in zu mit von auf für nicht ein eine auch sich
  o os as um uma e do da dos das em no na que com por para não se il lo gli di che e per un del della con non una
  van het een en dat op te voor met zijn`
    .split(/\s+/)
    .filter((word) => word !== '')
    .flatMap((word) => [word, withoutAccents(word)]),
);

/** Shorter words, and those of other scripts, have no forms that follow from how they are written. */
const INFLECTED = /^[a-z]{4,}$/;
const MIN_BARE = 3;

/** The word itself, and its singular or plural. */
export function usualForms(word: string): string[] {
  if (!INFLECTED.test(word) || /(?:ing|ed|ss|us|is)$/.test(word)) return [word];
  const singular = singularOf(word);
  return [...new Set([word, singular, pluralOf(singular)])];
}

/** Forms that a text may use instead, some of which no language has: a caller keeps those that texts do use. */
export function otherForms(word: string): string[] {
  if (!INFLECTED.test(word)) return [];
  const usual = new Set(usualForms(word));
  const forms = stemsOf(word).flatMap((stem) => USUAL_ENDINGS.map((ending) => `${stem}${ending}`));
  return [...new Set(forms)].filter((form) => !usual.has(form));
}

const USUAL_ENDINGS = ['', 's', 'e', 'es', 'ed', 'ing', 'er', 'ers', 'ion', 'ions', 'y', 'ies'];

function stemsOf(word: string): string[] {
  const bare = word.replace(/(?:ings?|ions?|ers?|ed|ies|es|s|e|y)$/, '');
  if (bare.length < MIN_BARE) return [word];
  // The letter that an ending doubled: stopped, planning.
  const single = /([b-df-hj-np-tv-z])\1$/.test(bare) ? [bare.slice(0, -1)] : [];
  return [...new Set([singularOf(word), bare, ...single])];
}

function singularOf(word: string): string {
  if (/[^aeiou]ies$/.test(word)) return `${word.slice(0, -3)}y`;
  if (/(?:ss|x|ch|sh|zz|o)es$/.test(word)) return word.slice(0, -2);
  return /[^sui]s$/.test(word) ? word.slice(0, -1) : word;
}

function pluralOf(word: string): string {
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`;
  return /(?:s|x|ch|sh|z|[^aeiou]o)$/.test(word) ? `${word}es` : `${word}s`;
}

/** Other forms of a word: an ending, or one letter that differs. */
const SHORTEST = 4;
const LONGEST_ENDING = 3;

/** The forms in which English texts use a word: a person who names one of them means the others, too. */
export function isVariantOf(word: string, other: string): boolean {
  if (word === other || Math.min(word.length, other.length) < SHORTEST) return false;
  const [short, long] = word.length <= other.length ? [word, other] : [other, word];
  const stem = short.slice(0, Math.max(SHORTEST, short.length - 1));
  if (long.startsWith(stem) && long.length - stem.length <= LONGEST_ENDING) return true;
  return long.length - short.length <= 1 && short.length > SHORTEST && differsByOne(short, long);
}

function differsByOne(short: string, long: string): boolean {
  let at = 0;
  while (at < short.length && short[at] === long[at]) at++;
  return short.slice(short.length === long.length ? at + 1 : at) === long.slice(at + 1);
}
