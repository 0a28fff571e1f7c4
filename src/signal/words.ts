/**
 * The words by which two texts are compared: folded, without endings, links and the commonest words. This is not the
 * analysis by which rules match: two texts that tell the same may use other forms of a word.
 */

/** A longer text is compared by its beginning, which says what it is about. */
const MAX_CHARACTERS = 400;
const MAX_WORDS = 48;

const LINK = /https?:\/\/\S+|\bwww\.\S+/gi;
const MENTION = /(?:^|\s)(?:rt\s+)?@\w+:?/gi;
const WORD = /[\p{L}\p{N}][\p{L}\p{N}'’.]*/gu;
/** Scripts that are written without spaces are compared by pairs of characters. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;

/** In the order of the text, repeats included. */
export function comparedWords(text: string): string[] {
  const plain = text.slice(0, MAX_CHARACTERS).replaceAll(LINK, ' ').replaceAll(MENTION, ' ');
  const words: string[] = [];
  for (const [match] of plain.normalize('NFKC').toLowerCase().matchAll(WORD)) {
    if (words.length >= MAX_WORDS) break;
    if (UNSPACED.test(match)) words.push(...pairs(match));
    else if (!COMMON.has(match)) addStem(words, match);
  }
  return words.slice(0, MAX_WORDS);
}

function addStem(words: string[], word: string): void {
  const stem = stemOf(word);
  if (stem.length > 1 && !COMMON.has(stem)) words.push(stem);
}

const ENDINGS = ['ings', 'ing', 'ed', 'ies', 'es', 's'];
/** A stem keeps this many characters before an ending is cut, and at most so many in all. */
const MIN_STEM = 4;
const MAX_STEM = 10;

function stemOf(word: string): string {
  const bare = word.replace(/['’]s$/, '').replace(/['’.&-]+$/, '');
  const ending = ENDINGS.find((end) => bare.endsWith(end) && bare.length - end.length >= MIN_STEM);
  return bare.slice(0, ending === undefined ? MAX_STEM : Math.min(MAX_STEM, bare.length - ending.length));
}

function pairs(run: string): string[] {
  const characters = Array.from(run);
  if (characters.length < 2) return characters;
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}

/** Whether a word tells nothing about what a text is about. */
export const isCommonWord = (word: string): boolean => COMMON.has(word);

/** Words that tell nothing about what a text is about, in the languages that are most written. */
const COMMON = new Set(
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
    .filter((word) => word !== ''),
);
