/** Random rules of both languages, and texts that they often match, with all that the two cut or fold in their own ways. */
import type { Random } from '../bench/random.ts';
import type { Platform } from '../src/domain/platform.ts';
import type { Content } from '../src/rules/translate-samples.ts';

const WORDS = [
  ...['tesla', 'ford', 'recall', 'lava', 'node', 'politics', 'istanbul', 'wi', 'fi', 'car', 'covid19', 'x', '2026'],
  ...[
    'café',
    'naïve',
    'straße',
    'türkiye',
    'ırmak',
    'İstanbul',
    'ΟΔΟΣ',
    'οδος',
    'σας',
    'привет',
    'hॉटel',
    'हिन्दी',
    'क़लम',
  ],
  ...[
    '火',
    '火山',
    '日本',
    'か',
    'がん',
    'ニュース',
    'タワー',
    'ﾊﾝ',
    '東京タワー',
    'สวัสดี',
    '한국',
    '서울',
    'מילה',
    'צה"ל',
    'سلام',
    'می‌خواهم',
  ],
  ...['🌋', '☀', '☀️', '❤️', '👩‍🚒', '🇮🇸', '👍🏽', '1⃣'],
  ...[
    "don't",
    'don’t',
    "tesla's",
    'node.js',
    'tesla.com',
    'tesla_model',
    'rock-n-roll',
    'AC/DC',
    'a&b',
    '3.14',
    'e.g',
    'µm',
    'ﬁne',
  ],
  ...['the', 'of', 'and', 'is', 'rt', 'not'],
];
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

/** First characters of scripts, each with its letters, marks and digits in the next few dozen. */
const SCRIPTS = [
  ...[
    0xc0, 0x100, 0x180, 0x250, 0x2b0, 0x370, 0x3a0, 0x400, 0x4c0, 0x531, 0x5d0, 0x620, 0x660, 0x6f0, 0x710, 0x780,
    0x904,
  ],
  ...[
    0x958, 0x985, 0xa05, 0xb85, 0xc05, 0xd05, 0xe01, 0xe50, 0xe81, 0xf40, 0x1000, 0x10a0, 0x1100, 0x1160, 0x1200,
    0x13a0,
  ],
  ...[
    0x1400, 0x16a0, 0x1780, 0x1820, 0x1950, 0x1a20, 0x1e00, 0x1ea0, 0x1f00, 0x1f80, 0x2c00, 0x3041, 0x30a1, 0x3105,
    0x3131,
  ],
  ...[
    0x3400, 0x4e00, 0xa500, 0xa720, 0xac00, 0xf900, 0xfb00, 0xfb50, 0xff21, 0xff66, 0x10400, 0x1d400, 0x1e900, 0x20000,
  ],
];

/** A few characters of one script, none a mark at the beginning. */
function strangeWord(random: Random): string {
  const first = pick(random, SCRIPTS);
  let word = '';
  for (let left = 12; left > 0 && [...word].length < 4; left--) {
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
  ...[
    ' ',
    ' ',
    ' ',
    ' ',
    ' ',
    ', ',
    '-',
    '. ',
    '.',
    '_',
    '\n',
    '/',
    ' #',
    ' @',
    ' $',
    ': ',
    ':',
    ';',
    '&',
    ' <',
    '"',
    '“',
    '”',
  ],
  ...[
    "'s ",
    '’s ',
    "'",
    '·',
    '\u00a0',
    '\u3000',
    '\u200d',
    '\u200c',
    '\u00ad',
    '\u200b',
    '、',
    '。',
    '',
    'の',
    '한',
    'z',
    '7',
  ],
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
