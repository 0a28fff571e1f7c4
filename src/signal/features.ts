/** Traits of how a text is written, whatever it is about. */

export type StyleTraits = Readonly<Record<StyleTrait, number>>;
export type StyleTrait =
  | 'links'
  | 'hashtags'
  | 'mentions'
  | 'repost'
  | 'numbers'
  | 'personalWords'
  | 'personalShare'
  | 'exclamations'
  | 'questions'
  | 'names'
  | 'capitals'
  | 'emoticon'
  | 'logSize'
  | 'size'
  | 'colon';

const LINK = /https?:\/\/\S+/gi;
const TOKEN = /[#@]?[\p{L}\p{N}_][\p{L}\p{N}_'’]*/gu;
const EMOTICON = /[:;]-?[)(DPp]|<3|\p{Extended_Pictographic}/u;
/** Most texts have none of these, which is found out faster. */
const MAYBE_EMOTICON = /[:;<]|[^\x20-\x7e]/;
const PLAIN_WORD = /^[a-z]+$/;
const NAME = /^\p{Lu}\p{Ll}/u;
const CAPITALS = /^\p{Lu}{3}[\p{Lu}\p{N}]*$/u;
const NUMBER = /\p{N}/u;
const MAX_CHARACTERS = 1_000;
const UNSPACED_LETTERS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/gu;

/** As they stand in the text, folded: hashtags and mentions keep their sign. */
export const textTokens = (text: string): string[] => tokensOf(unlinked(text)).map((token) => token.toLowerCase());

const unlinked = (text: string): string => text.slice(0, MAX_CHARACTERS).replaceAll(LINK, ' ');
const tokensOf = (plain: string): string[] => plain.match(TOKEN) ?? [];

/** How a text is written, and its tokens: read together, since scores are made of many texts. */
export function readText(text: string): { readonly traits: StyleTraits; readonly tokens: readonly string[] } {
  const start = text.slice(0, MAX_CHARACTERS);
  const links = start.match(LINK)?.length ?? 0;
  const plain = links === 0 ? start : start.replaceAll(LINK, ' ');
  const tokens = tokensOf(plain);
  const counts = { hashtags: 0, mentions: 0, numbers: 0, personal: 0, names: 0, capitals: 0 };
  for (let at = 0; at < tokens.length; at++) tokens[at] = countToken(tokens[at]!, counts);
  const size = Math.max(1, tokens.length);
  const script = scriptOf(plain);
  const traits = {
    links: Math.min(2, links),
    hashtags: Math.log1p(counts.hashtags),
    mentions: Math.log1p(counts.mentions),
    repost: text.startsWith('RT @') ? 1 : 0,
    numbers: Math.log1p(counts.numbers),
    personalWords: script.hasCase ? Math.log1p(counts.personal) : NaN,
    personalShare: script.hasCase ? counts.personal / size : NaN,
    exclamations: Math.log1p(countOf(plain, '!')),
    questions: Math.log1p(countOf(plain, '?')),
    names: script.hasCase ? Math.log1p(counts.names) : NaN,
    capitals: script.hasCase ? Math.log1p(counts.capitals) : NaN,
    emoticon: MAYBE_EMOTICON.test(plain) && EMOTICON.test(plain) ? 1 : 0,
    logSize: script.hasSpaces ? Math.log(size) : NaN,
    size: script.hasSpaces ? size / 20 : NaN,
    colon: plain.includes(':') ? 1 : 0,
  };
  return { traits, tokens };
}

const BEYOND_LATIN = /[^\0-\u024f]/;
/** A text with an emoji has none of these, mostly, which is found out faster than letters are counted. */
const UNUSUAL =
  /[\p{Lo}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;
const LETTERS = /\p{L}/gu;
const LETTERS_WITHOUT_CASE = /\p{Lo}/gu;
const WITH_CASE = { hasCase: true, hasSpaces: true };

/**
 * Whether the script of most letters has capitals and spaces. Without capitals names cannot be told, nor can personal
 * words, which are not known in such languages; without spaces the number of words cannot. A trait that cannot be told
 * is NaN, and counts as usual.
 */
function scriptOf(plain: string): { readonly hasCase: boolean; readonly hasSpaces: boolean } {
  if (!BEYOND_LATIN.test(plain) || !UNUSUAL.test(plain)) return WITH_CASE;
  const letters = plain.match(LETTERS)?.length ?? 0;
  const withoutCase = plain.match(LETTERS_WITHOUT_CASE)?.length ?? 0;
  const unspaced = plain.match(UNSPACED_LETTERS)?.length ?? 0;
  return { hasCase: 2 * withoutCase <= letters, hasSpaces: 2 * unspaced <= letters };
}

type Counts = Record<'hashtags' | 'mentions' | 'numbers' | 'personal' | 'names' | 'capitals', number>;

/** Counts a token as it stands, and answers it folded. */
function countToken(token: string, counts: Counts): string {
  if (PLAIN_WORD.test(token)) {
    if (PERSONAL.has(token)) counts.personal++;
    return token;
  }
  const folded = token.toLowerCase();
  if (token.startsWith('#')) counts.hashtags++;
  else if (token.startsWith('@')) counts.mentions++;
  else if (NUMBER.test(token)) counts.numbers++;
  else if (PERSONAL.has(folded)) counts.personal++;
  else if (token !== folded) {
    if (NAME.test(token)) counts.names++;
    else if (CAPITALS.test(token)) counts.capitals++;
  }
  return folded;
}

function countOf(text: string, sign: string): number {
  let count = 0;
  for (let at = text.indexOf(sign); at !== -1; at = text.indexOf(sign, at + 1)) count++;
  return count;
}

/** Words by which people speak of themselves and their feelings, in the languages that are most written. */
const PERSONAL = new Set(
  `i me my mine im i'm i’m ive i've id i'd we our us u ur you your lol omg haha hahaha wtf hope pray prayers praying thoughts
  rip please god love sad like just so fuck shit damn
  yo mi mis nos nuestra nuestro dios oremos oracion fuerza jaja jajaja
  eu meu minha nos deus força kkk kkkk io mio mia je moi mon ma mes ich mein meine wir uns`.split(/\s+/),
);

/**
 * The traces of a text that a model keeps: its traits, and a digest of each of its words. A rating outlives the text
 * that was rated, so it holds these and nothing that can be read.
 */
export interface Traces {
  readonly traits: StyleTraits;
  /** Digests of the distinct words, in the order of the text. */
  readonly words: readonly number[];
  /** How many words the text has, repeats included. */
  readonly size: number;
}

export function tracesOf(text: string): Traces {
  const { traits, tokens } = readText(text);
  return { traits, words: distinct(tokens.map(wordDigest)), size: tokens.length };
}

/** A set of so few numbers takes longer to make than they take to go through. */
const FEW = 48;

function distinct(digests: readonly number[]): number[] {
  if (digests.length > FEW) return [...new Set(digests)];
  const found: number[] = [];
  for (const digest of digests) if (!found.includes(digest)) found.push(digest);
  return found;
}

/** FNV-1a over the UTF-16 units of a word. */
export function wordDigest(word: string): number {
  let digest = 0x811c9dc5;
  for (let at = 0; at < word.length; at++) digest = Math.imul(digest ^ word.charCodeAt(at), 0x01000193);
  return digest >>> 0;
}

const DIGITS = 1_000;

export const writeTraces = ({ traits, words, size }: Traces): string =>
  JSON.stringify({
    traits: Object.fromEntries(
      Object.entries(traits).map(([name, value]) => [name, Math.round(value * DIGITS) / DIGITS]),
    ),
    words,
    size,
  });

/** Traits that an earlier version did not know are as usual; what is no trace at all is undefined. */
export function readTraces(text: string): Traces | undefined {
  const read: unknown = JSON.parse(text);
  return isTraces(read) ? read : undefined;
}

const isTraces = (value: unknown): value is Traces =>
  typeof value === 'object' && value !== null && 'traits' in value && 'words' in value && Array.isArray(value.words);
