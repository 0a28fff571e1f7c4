/** The terms of a text by which rules part texts: its words, and the pairs of words that follow each other. */
import { textTokens } from './features.ts';
import { IS_UNSPACED, isCommonWord } from './words.ts';

/** A longer text is looked at by its beginning. */
const MAX_TOKENS = 120;

/** A tag and a mention are there with their sign and without: a rule that asks for the word alone finds them too. */
export function termsOf(text: string): Set<string> {
  const tokens = textTokens(text).slice(0, MAX_TOKENS);
  const terms = new Set(tokens.filter((token) => !IS_UNSPACED.test(token)));
  if (terms.size < tokens.length) addUnspaced(terms, text.slice(0, MAX_UNSPACED));
  for (const [index, token] of tokens.entries()) {
    if (IS_UNSPACED.test(token) || (index > 0 && IS_UNSPACED.test(tokens[index - 1]!))) continue;
    if (SIGN.test(token)) terms.add(token.slice(1));
    if (index > 0) terms.add(`${tokens[index - 1]} ${token}`);
  }
  return terms;
}

const SIGN = /^[#@]/;

/** Characters of a text in which words are looked for that no spaces part. */
const MAX_UNSPACED = 400;
const UNSPACED_RUN =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{M}ー々]+/gu;
/** Particles between words, and their endings: no rule asks for them. */
const ONLY_HIRAGANA = /^\p{Script=Hiragana}+$/u;
const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

/** Words of scripts that are written without spaces, as dictionaries know them, and two or three that follow each other. */
function addUnspaced(terms: Set<string>, text: string): void {
  for (const [run] of text.matchAll(UNSPACED_RUN)) {
    let [before, two] = ['', ''];
    for (const { segment, isWordLike } of segmenter.segment(run)) {
      const word = isWordLike === true && !ONLY_HIRAGANA.test(segment) ? segment : '';
      if (word.length > 1) terms.add(word);
      if (word !== '' && before !== '') terms.add(`${before}${word}`);
      if (word !== '' && two !== '') terms.add(`${two}${word}`);
      [two, before] = [word === '' || before === '' ? '' : `${before}${word}`, word];
    }
  }
}

/** Whether a term may be what a rule asks for: each of its words says what a text is about. */
export const isTelling = (term: string): boolean => term.split(' ').every(isTellingWord);

const isTellingWord = (word: string): boolean =>
  (word.length > 2 || IS_UNSPACED.test(word)) &&
  !isCommonWord(word) &&
  !GENERAL.has(word.split(/['’]/, 1)[0]!) &&
  !/^\p{N}+$/u.test(word);

/** Words of any text, whatever it is about, and what is left of links. */
const GENERAL = new Set(
  `http https www com people person man men woman women guy guys god lord city town home house school work job life time times
  today tonight tomorrow yesterday morning night days weeks years month months hour hours minute minutes again always never
  ever still even much many some any every each other another such own same very really too only well back away around
  going come comes came take takes took make makes made see seen look looks know knows think want need needs needed give
  gives gave find found keep let help please thank thanks hope love like good great best better bad worst big small high
  low long short old young real right left sure true full free open live lives dead death news report reports update
  updates story pic pics photo photos image check read listen follow tweet tweets retweet share click link here hey yes
  yeah okay lol omg haha sad happy feel feeling thing things stuff way place part side end start last next second area
  areas state country world thousands hundreds dozens total near between under while because though through against
  during until since without within able available around able him himself herself themselves everyone everybody someone
  anyone nothing something anything gonna wanna can't don't didn't doesn't isn't wasn't won't it's that's there's i'm
  sus bien hoy ahora todo todos muy gente vida casa dia año años hace tiene hay este esta esto cuando donde desde hasta
  sobre sin pero porque nuestro fuerte muito mais hoje agora gente isso tudo bem quando sem sobre oggi anche come sono
  tutti molto questo questa dalla nella avec tout tous bien cette sont nous vous mais comme sans pour leur`
    .split(/\s+/)
    .filter((word) => word !== ''),
);

// The terms of texts that are worth a look: they stand in several of the wanted or of the unwanted ones.

/** Terms that are tried; more would cost time and are rare. */
const MAX_TERMS = 800;
/** With fewer examples, a term of only one of them counts too. */
const FEW = 10;

/** A tag is rarely chance. */
const isTag = (term: string): boolean => /^#[^ ]+$/.test(term);

/** The best come first. `checkpoint` throws to end the work. */
export function tellingTerms(
  wanted: readonly string[],
  unwanted: readonly string[],
  checkpoint: () => void = () => {},
): string[] {
  const counts = new Map<string, { wanted: number; unwanted: number }>();
  for (const [kind, texts] of [
    ['wanted', wanted],
    ['unwanted', unwanted],
  ] as const) {
    for (const text of texts) {
      const terms = termsOf(text);
      checkpoint();
      for (const term of terms) {
        const seen = counts.get(term) ?? { wanted: 0, unwanted: 0 };
        seen[kind]++;
        counts.set(term, seen);
      }
    }
  }
  const best = [...counts]
    .filter(
      ([term, seen]) =>
        (Math.max(seen.wanted, seen.unwanted) > 1 || wanted.length < FEW || isTag(term)) && isTelling(term),
    )
    .map(([term, seen]) => ({ term, value: worthOf(seen, wanted.length, unwanted.length) }))
    .toSorted(
      (one, other) =>
        other.value - one.value || one.term.length - other.term.length || (one.term < other.term ? -1 : 1),
    )
    .slice(0, MAX_TERMS)
    .map(({ term }) => term);
  return best.filter((term) => !isPartOfAnother(term, best, counts));
}

/** A part of an unspaced word is found in many others. When two stand in the same texts, the longer one is meant. */
const isPartOfAnother = (term: string, terms: readonly string[], counts: ReadonlyMap<string, Seen>): boolean =>
  IS_UNSPACED.test(term) &&
  terms.some((other) => other !== term && other.includes(term) && isSame(counts.get(other)!, counts.get(term)!));

interface Seen {
  readonly wanted: number;
  readonly unwanted: number;
}

const isSame = (one: Seen, other: Seen): boolean => one.wanted === other.wanted && one.unwanted === other.unwanted;

/** How much more of one kind of text has it than of the other, and how many have it at all. */
const worthOf = (seen: Seen, wanted: number, unwanted: number): number => {
  const [one, other] = [seen.wanted / Math.max(1, wanted), seen.unwanted / Math.max(1, unwanted)];
  return Math.abs(one - other) + Math.max(one, other);
};
