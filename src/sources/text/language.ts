/** Detects the language of a text, as the codes that rules use. */
import { type LanguageTable, mostLikely, readLanguageTable } from './language-table.ts';

/** Characters that are looked at: enough to tell. */
const LOOKED_AT = 2_000;
const LEAST_LETTERS = 3;

let table: LanguageTable | undefined;
let reading: Promise<LanguageTable> | undefined;

/** Reads the table, once: a tenth of a start, so that only who reads sources waits for it. */
export async function loadLanguages(): Promise<void> {
  reading ??= readLanguageTable();
  table = await reading;
}

export function detectLanguage(text: string): string | undefined {
  if (table === undefined) throw new Error('loadLanguages must be called before detectLanguage.');
  const sample = wordsOf(text);
  if (sample.replace(/\P{L}/gu, '').length < LEAST_LETTERS) return undefined;
  if (isHindiInLatin(sample)) return 'hi';
  const language = mostLikely(table, sample);
  return language === 'zh' ? chineseOf(sample) : language;
}

/** Addresses and user names say nothing about the language around them. */
const wordsOf = (text: string): string => text.slice(0, LOOKED_AT).replace(/https?:\/\/\S+|@[\w.@-]+/g, ' ');

/** Hindi is often typed in Latin letters, which the table lacks. Two of its short words identify it. */
const HINDI = new Set(
  'hai hain nahi nahin nhi kya bhi aur kuch koi liye aaj raha rahi rahe hoga karo kar bahut yeh woh aap toh tha bhai ko ki ke ka ye gaya hum apna mera tera'.split(
    ' ',
  ),
);
const HINDI_SHARE = 0.2;

function isHindiInLatin(text: string): boolean {
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  const found = words.filter((word) => HINDI.has(word));
  return new Set(found).size >= 2 && found.length >= words.length * HINDI_SHARE;
}

const SIMPLIFIED = /[们这说对时国为来个会发学动经还没问开关样现话东车长门见员]/gu;
const TRADITIONAL = /[們這說對時國為來個會發學動經還沒問開關樣現話東車長門見員]/gu;

const count = (text: string, characters: RegExp): number => text.match(characters)?.length ?? 0;

const chineseOf = (text: string): string => (count(text, TRADITIONAL) > count(text, SIMPLIFIED) ? 'zh-tw' : 'zh-cn');

/** Other ways to write codes that rules know. */
const SAME: Readonly<Record<string, string>> = {
  nb: 'no',
  nn: 'no',
  iw: 'he',
  in: 'id',
  fil: 'tl',
  zh: 'zh-cn',
  'zh-hans': 'zh-cn',
  'zh-sg': 'zh-cn',
  'zh-hant': 'zh-tw',
  'zh-hk': 'zh-tw',
  'zh-mo': 'zh-tw',
};

/** A declared language, such as `en-US`, as a code of rules; undefined when it is none. */
export function declaredLanguage(tag: unknown): string | undefined {
  if (typeof tag !== 'string') return undefined;
  // Nearly all tags are two letters.
  if (tag.length === 2 && isSmallLetter(tag.charCodeAt(0)) && isSmallLetter(tag.charCodeAt(1))) return SAME[tag] ?? tag;
  const [language = '', region] = tag.trim().toLowerCase().replaceAll('_', '-').split('-');
  if (!/^[a-z]{2,3}$/.test(language) || language === 'und' || language === 'mul') return undefined;
  const whole = region === undefined ? language : `${language}-${region}`;
  if (whole === 'zh-cn' || whole === 'zh-tw') return whole;
  return SAME[whole] ?? SAME[language] ?? language;
}

const isSmallLetter = (unit: number): boolean => unit >= 0x61 && unit <= 0x7a;
