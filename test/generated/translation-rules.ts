/** Random rules of both languages, and texts that they often match, with all that the two cut or fold in their own ways. */
import type { Random } from '../../bench/random.ts';
import type { Platform } from '../../src/domain/platform.ts';
import type { Content } from '../../src/rules/translate-samples.ts';

const WORDS = [
  'tesla ford recall lava node politics istanbul wi fi car covid19 x 2026 the of and is rt not',
  'café naïve straße türkiye ırmak İstanbul ΟΔΟΣ οδος σας привет हिन्दी क़लम hॉटel 한국 서울 מילה צה"ל سلام می‌خواهم',
  '火 火山 日本 か がん ニュース タワー ﾊﾝ 東京タワー สวัสดี 🌋 ☀ ☀️ ❤️ 👩‍🚒 🇮🇸 👍🏽 1⃣',
  "don't don’t tesla's node.js tesla.com tesla_model rock-n-roll AC/DC a&b 3.14 e.g µm ﬁne",
].flatMap((line) => line.split(' '));
const JOINERS = [' ', ' ', ' ', ' ', '-', ', ', '. ', "'", '\n', '/', '', ' the '];
const CODES = ['en', 'de', 'iw', 'in', 'zh', 'zh-CN', 'zh-TW', 'ja', 'he', 'id', 'zh-cn', 'zh-tw', 'af', 'und', 'tr'];
const LINKS = [
  'https://www.example.com/blog/Tesla-recall?x=1',
  'https://acme.io/Pricing',
  'https://a.test/ford_lava/(x)!y~z',
  'http://blog.example.co.uk/2026/node.js',
  'https://example.org/火山',
  'https://my-site.org/a b"c',
];
const PARTS = [
  'example.com',
  '/blog/',
  'Pricing',
  'acme.io',
  'a!b',
  '(x)',
  'y~z',
  'a b"c',
  'my-site.org',
  'tesla',
  '火山',
  'ord_',
  '*',
  'https://acme.io/P',
];

/**
 * First characters of scripts, each with its letters, marks and digits in the next few dozen. Not among them are those that
 * `Direction` in src/rules/translation.ts leaves aside.
 */
const SCRIPTS = [
  'c0 100 180 250 2b0 370 3a0 400 4c0 531 5d0 620 660 6f0 710 780 904 958 985 a05 b85 c05 d05 e01 e50 e81 f40 1000 10a0',
  '1100 1160 1200 13a0 1400 16a0 1780 1820 1e00 1ea0 1f00 1f80 2c00 3041 30a1 3105 3131 3400 4e00 a500 a720 ac00',
  'f900 fb00 fb50 ff21 ff66 10400 1d400 1e900 20000',
].flatMap((line) => line.split(' ').map((digits) => Number.parseInt(digits, 16)));

/** A few characters of one script, none a mark at the beginning. */
function strangeWord(random: Random): string {
  const first = pick(random, SCRIPTS);
  let word = '';
  for (let left = 12; left > 0 && Array.from(word).length < 4; left--) {
    const character = String.fromCodePoint(first + Math.floor(random() * 48));
    const fits = word === '' ? /[\p{L}\p{Nd}]/u : /[\p{L}\p{Nd}\p{M}]/u;
    if (fits.test(character) && random() < 0.7) word += character;
  }
  return word === '' ? 'lava' : word;
}

const anyWord = (random: Random): string => (random() < 0.12 ? strangeWord(random) : pick(random, WORDS));

const pick = <T>(random: Random, list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
const quoted = (text: string) => `"${text.replace(/["\\]/g, '\\$&')}"`;
const some = (random: Random, most: number) =>
  Array.from({ length: 1 + Math.floor(random() * most) }, () => anyWord(random));
const phrase = (random: Random) => some(random, 3).reduce((text, word) => text + pick(random, JOINERS) + word);

/** Often a single clause: what is said of one is easily hidden by what is said of others. */
export function anyRule(platform: Platform, random: Random): string {
  const isSingle = random() < 0.4;
  if (platform === 'x') return isSingle ? xClause(random) : xRule(random, 3);
  return isSingle ? pageClause(random) : pageRule(random, 3);
}

function xRule(random: Random, depth: number): string {
  const parts = Array.from({ length: 1 + Math.floor(random() * 3) }, () => {
    const sign = random() < 0.2 ? '-' : '';
    return depth > 0 && random() < 0.25 ? `${sign}(${xRule(random, depth - 1)})` : sign + xClause(random);
  });
  return parts.join(random() < 0.4 ? ' OR ' : ' ');
}

function xClause(random: Random): string {
  const word = anyWord(random);
  const forms: (() => string)[] = [
    ...Array.from({ length: 8 }, () => () => word),
    ...Array.from({ length: 4 }, () => () => quoted(phrase(random))),
    () => `${quoted(some(random, 3).join(' '))}~${1 + Math.floor(random() * 6)}`,
    () => `#${word}`,
    () => `@${pick(random, ['tesla', 'ford', 'x'])}`,
    () => `$${pick(random, ['tesla', 'ford', 'x'])}`,
    () => `lang:${pick(random, CODES)}`,
    () => `url:${quoted(pick(random, PARTS))}`,
    () => `url_contains:${quoted(pick(random, PARTS))}`,
    () => `url_title:${quoted(phrase(random))}`,
    () => `entity:${quoted(word)}`,
    () =>
      pick(random, [
        'from:tesla',
        'is:reply',
        'has:links',
        'is:retweet',
        'place:paris',
        'followers_count:5',
        'bio:tesla',
      ]),
  ];
  return pick(random, forms)();
}

function pageRule(random: Random, depth: number): string {
  const joiner = random() < 0.4 ? ' OR ' : ' AND ';
  const parts = Array.from({ length: 1 + Math.floor(random() * 3) }, (_, index) => {
    const sign = random() < 0.2 ? (index === 0 ? '*:* AND NOT ' : 'NOT ') : '';
    return depth > 0 && random() < 0.25 ? `${sign}(${pageRule(random, depth - 1)})` : sign + pageClause(random);
  });
  return parts.join(joiner);
}

const escaped = (text: string) => text.replace(/[+\-!():^[\]"{}~*?\\/\s]/g, '\\$&');

function pageClause(random: Random): string {
  const word = anyWord(random);
  const forms: (() => string)[] = [
    ...Array.from({ length: 8 }, () => () => escaped(word)),
    ...Array.from({ length: 4 }, () => () => quoted(phrase(random))),
    () => `${quoted(some(random, 3).join(' '))}~${1 + Math.floor(random() * 9)}`,
    () => `${pick(random, ['title', 'added', 'added_anchor', 'removed'])}:${quoted(phrase(random))}`,
    () => `${escaped(word)}${pick(random, ['~1', '*', '~2'])}`,
    () => `language:${pick(random, CODES).toLowerCase()}`,
    () => `domain:${pick(random, ['example.com', 'acme.io', 'my-site.org', '*.example.com', 'blog.*'])}`,
    () => `url:*${escaped(pick(random, PARTS))}*`,
    () => `url:${escaped(pick(random, PARTS))}*${escaped(pick(random, PARTS))}`,
    () => `url:${quoted(pick(random, LINKS))}`,
    () =>
      pick(random, [
        'recent:24h',
        'page_type:"/Article"',
        'dr:[50 TO *]',
        'publish_time:[2026-01-01 TO *]',
        'title:*',
        'url:/.*a.*/',
      ]),
  ];
  return pick(random, forms)();
}

/** Marks follow a letter: see `Direction` in src/rules/translation.ts for what is left aside. */
const GAPS = [
  ...Array.from({ length: 5 }, () => ' '),
  ...",~, ~-~. ~.~_~\n~/~ #~ @~ $~: ~:~;~&~ <~\"~“~”~'s ~’s ~'~·~、~。~の~한~z~7~".split('~'),
  ...Array.from('\u00a0\u3000\u200d\u200c\u00ad\u200b'),
];

export function anyContent(random: Random): Content {
  const text = anyText(random, 12);
  return {
    text,
    ...(random() < 0.3 && { title: anyText(random, 4) }),
    ...(random() < 0.4 && { link: pick(random, LINKS) }),
    ...(random() < 0.6 && {
      language: pick(random, ['en', 'de', 'iw', 'in', 'zh', 'zh-cn', 'zh-tw', 'ja', 'tr', 'und']),
    }),
  };
}

function anyText(random: Random, most: number): string {
  let text = '';
  for (let left = Math.floor(random() * most); left >= 0; left--) {
    text += dressed(anyWord(random), random);
    if (random() < 0.03 && /\p{L}$/u.test(text)) text += pick(random, ['\u0301', '\u0307', '\u3099', '\u0338']);
    text += pick(random, GAPS);
  }
  return text;
}

function dressed(word: string, random: Random): string {
  const chance = random();
  if (chance < 0.5) return word;
  if (chance < 0.65) return word.toUpperCase();
  if (chance < 0.8) return word.charAt(0).toUpperCase() + word.slice(1);
  if (chance < 0.85) return word.replaceAll('i', 'İ').replaceAll('I', 'İ');
  return chance < 0.93 ? word.normalize('NFD') : word.normalize('NFC');
}
