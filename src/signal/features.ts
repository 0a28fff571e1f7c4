/** What a text shows of itself, whatever it is about: how it is written. */

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
const MAX_CHARACTERS = 1_000;

/** As they stand in the text, folded: hashtags and mentions keep their sign. */
export function textTokens(text: string): string[] {
  const plain = text.slice(0, MAX_CHARACTERS).replaceAll(LINK, ' ').toLowerCase();
  return plain.match(TOKEN) ?? [];
}

/** `tokens` are those of the text. */
export function styleTraits(text: string, tokens: readonly string[]): StyleTraits {
  const plain = text.slice(0, MAX_CHARACTERS);
  const size = Math.max(1, tokens.length);
  const words = tokens.filter((token) => !/^[#@]/.test(token));
  const personal = words.filter((word) => PERSONAL.has(word)).length;
  return {
    links: Math.min(2, count(plain, LINK)),
    hashtags: Math.log1p(tokens.filter((token) => token.startsWith('#')).length),
    mentions: Math.log1p(tokens.filter((token) => token.startsWith('@')).length),
    repost: plain.startsWith('RT @') ? 1 : 0,
    numbers: Math.log1p(words.filter((word) => /\p{N}/u.test(word)).length),
    personalWords: Math.log1p(personal),
    personalShare: personal / size,
    exclamations: Math.log1p(count(plain, /!/g)),
    questions: Math.log1p(count(plain, /\?/g)),
    names: Math.log1p(count(plain, /\b\p{Lu}\p{Ll}+/gu)),
    capitals: Math.log1p(count(plain, /\b\p{Lu}{3,}\b/gu)),
    emoticon: EMOTICON.test(plain) ? 1 : 0,
    logSize: Math.log(size),
    size: size / 20,
    colon: plain.replaceAll(LINK, ' ').includes(':') ? 1 : 0,
  };
}

const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

/** Words by which people speak of themselves and their feelings, in the languages that are most written. */
const PERSONAL = new Set(
  `i me my mine im i'm i’m ive i've id i'd we our us u ur you your lol omg haha hahaha wtf hope pray prayers praying thoughts
  rip please god love sad like just so fuck shit damn
  yo mi mis nos nuestra nuestro dios oremos oracion fuerza jaja jajaja
  eu meu minha nos deus força kkk kkkk io mio mia je moi mon ma mes ich mein meine wir uns`.split(/\s+/),
);
