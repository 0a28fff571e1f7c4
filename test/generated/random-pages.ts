/** Pages of every kind that a reader may stumble over: words that only their neighbours tell apart, all fields, all shapes. */
import fc from 'fast-check';
import { anyMarked } from './marks.ts';
import { linesOf, oddly } from './spelled-lines.ts';

const COMMON = ['a', 'the', 'Big', 'WORD', 'x1', 'of', "don't", 'don’t', '3.14', 'é', '火山', 'internationalisation'];

const PARTS: readonly string[] = [
  ['1,000', '1.', 'a.b', 'a.1', '1.a', 'a:b', '1:2', 'a;b', '1;2', "'a'", "1'2", '_', '_x_', 'a_1', '__', 'U.S.A.'],
  ['É', 'straße', 'İ', 'ΟΔΟΣ', 'Ⱥ', 'Ǆ', 'ﬁ', 'ªº', '𐐀', '𐐨', '𝒳', 'и', 'Москва', "д'Артаньян", 'e\u0301', '\u0301'],
  ['שלום', "ש'", 'צה"ל', 'ש"', "ש'1", 'العَرَبِيَّة', '٣٫١٤', 'हिन्दी', 'สวัสดี', 'ผู้', 'ລາວ', '한국어', '각', '\u0e34'],
  ['カタ', 'カ_タ', 'ーカ', 'ひらがな', 'カひ火a1', 'ｶﾞ', 'Ａ．Ｂ', '𠜎', '々', '〇', '\u{30000}', '\u{40000}'],
  ['🌋', '👍🏽', '🏽', '👩🏽‍🚀', '👨‍👩‍👧', '❤️', '❤️\u0301', '❤︎', '☎', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', '©', '\u200d🌋', '\u200da', 'a\u200d🌋'],
  ['🇩🇪', '🇩', '🇩🇪🇫', '🇩\u0301🇪', '1️⃣', '#️⃣', '*️⃣', '#', '*', '#a', '#\u0301', '\u20e3', '\ufe0f', '\u200b', '\u00ad'],
  [
    '"',
    '\\',
    '/',
    '&amp;',
    '&',
    '<b>',
    '\n',
    '\r\n',
    '\r',
    '\t',
    '\v',
    '\u0085',
    '\u2028',
    '\u00a0',
    '\u3000',
    '\u202f',
    '\ufffd',
    '\uffff',
    '\ue000',
    'é'.repeat(130),
  ],
].flat();

/** What the core leaves to the analyzer. */
const HOSTILE: readonly string[] = ['\ud800', '\udc00', '\0', 'x'.repeat(254), 'x'.repeat(257), '\u0301'.repeat(260)];

const anyPart = fc.oneof(
  { weight: 60, arbitrary: fc.constantFrom(...COMMON) },
  { weight: 30, arbitrary: fc.constantFrom(...PARTS) },
  { weight: 1, arbitrary: fc.constantFrom(...HOSTILE) },
  { weight: 4, arbitrary: anyMarked(45) },
);

const anyText = fc
  .array(fc.tuple(anyPart, fc.constantFrom(' ', ' ', ' ', '', '\n', '. ', ', ', '-')), { maxLength: 10 })
  .map((parts) => parts.flat().join(''));

const list = (of: fc.Arbitrary<unknown>) => fc.array(of, { maxLength: 3 });
/** A string, a list, or anything. */
const some = (of: fc.Arbitrary<unknown>) => oddly(fc.oneof(of, list(oddly(of))));

const anyChunk = fc.record(
  { typ: oddly(fc.constantFrom('ins', 'ins', 'del', 'inserted', '')), text: oddly(anyText), at: fc.nat(9) },
  { requiredKeys: ['typ', 'text'] },
);
const anyDiff = fc.record(
  { chunks: oddly(fc.array(oddly(anyChunk), { maxLength: 5 })), note: fc.constant([1.5e3, { deep: [null, false] }]) },
  { requiredKeys: ['chunks'] },
);
const anyAddress = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.constantFrom(
      'https://www.Example.co.uk/Ab?c=d',
      'http://news.example.org:8080',
      'https://192.168.0.1/x',
      'https://x.y.example.#é',
      'https://..uk/',
      'https://de/',
      'no address',
      'https://',
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'https://user@a.example/',
      'https://[::1]/',
      'https://a.b.c.d.e.f.g.h.example./',
      'https://é.example/',
      'https://a.example:80b/',
      `https://${'x'.repeat(254)}.example/`,
      '',
    ),
  },
);
const anyName = fc.constantFrom('en', 'DE', 'Article', '/News/Local', 'é', '', 'İ', 'x'.repeat(65), 'y'.repeat(1_025));

const anyPage = fc.record(
  {
    id: oddly(fc.constantFrom('1', 'p-99', 'é')),
    url: some(anyAddress),
    diff: oddly(anyDiff),
    added: some(anyText),
    removed: some(anyText),
    added_anchor: some(anyText),
    removed_anchor: some(anyText),
    title: some(anyText),
    domain: some(fc.constantFrom('example.org', 'Example.org', 'a.example', '')),
    publish_time: oddly(fc.constantFrom('2026-01-02T03:04:05Z', '2026-01-02')),
    page_category: some(anyName),
    page_types: some(anyName),
    page_type: some(anyName),
    language: some(anyName),
    dr: fc.nat(99),
    source: fc.oneof(anyText, fc.constant(Array.from({ length: 70 }, () => 'x'.repeat(30)))),
  },
  { requiredKeys: [] },
);

/** Common pages are those with few keys. */
const anyCommonPage = fc.record(
  {
    id: fc.constant('1'),
    url: anyAddress,
    diff: fc.record({ chunks: fc.array(anyChunk, { maxLength: 4 }) }),
    title: anyText,
    language: fc.constant('en'),
    page_types: list(fc.constantFrom('article', 'news')),
  },
  { requiredKeys: ['id', 'diff'] },
);

const anyPayload = fc.oneof({ weight: 5, arbitrary: anyCommonPage }, { weight: 2, arbitrary: anyPage });

export const anyPageLine = linesOf(anyPayload, [
  '"text":"x",',
  '"id":"2",',
  '"title":[],',
  '"diff":{},',
  '"typ":"del",',
  ' ',
]);
