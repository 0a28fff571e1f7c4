/** Posts of every kind that a reader may stumble over: texts of many scripts, entities given, missing and wrong. */
import fc from 'fast-check';
import { anyMarked } from './marks.ts';
import { linesOf, oddly } from './spelled-lines.ts';

const PARTS: readonly string[] = [
  [
    'a',
    'the',
    'Big',
    'WORD',
    'x1',
    '2026',
    'internationalisation',
    'sixteen_letters_',
    'É',
    'straße',
    'İ',
    'ΟΔΟΣ',
    'ß',
  ],
  ['火山', 'カタ', 'สวัสดี', 'ผู้', 'हिन्दी', 'العَرَبِيَّة', 'é', 'ö̲', '한국어', '각', 'Ａ', 'ｶﾞ'],
  ['🌋', '👍🏽', '👩🏽‍🚀', '👨‍👩‍👧', '🇩🇪', '🇩', '1️⃣', '❤️', '☎', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', '𝒳', '𠜎', '©'],
  ['#tag', '#Tag_2', '#1', '#火山', '##a', 'x#a', '#a#b', '&#a', '#️⃣', '#a://b', '＃full', '#tag️s', '_#x'],
  ['@user', '@User_1', 'x@user', 'RT@user', '.@user', '@a@b', '@abcdefghijklmnopqrstu', '@é', '＠full', '@user://x'],
  ['$abc', '$ABC.A', 'a$b', '$1', 'example.com', 'http://t.co/x', 'https://a.example/#frag', 'a.b', 'end.', '3.14'],
  [
    '&amp;',
    '&lt;',
    '&gt;',
    '&amp;amp;',
    '&',
    '&am',
    '"',
    '\\',
    '/',
    '\n',
    '\t',
    '\u2028',
    '\u200d',
    '\u00a0',
    '\ud800',
    '\0',
  ],
].flat();

const COMMON = ['a', 'the', 'Big', 'WORD', 'x1', '#tag', '@user', '火山', '🌋', 'é', 'internationalisation', '&amp;'];

const anyPart = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...COMMON) },
  { weight: 1, arbitrary: fc.constantFrom(...PARTS) },
  { weight: 1, arbitrary: anyMarked(45) },
);

const anyText = fc
  .array(fc.tuple(anyPart, fc.constantFrom(' ', ' ', ' ', '', '\n', '. ', ', ')), { maxLength: 10 })
  .map((parts) => parts.flat().join(''));

const anyName = fc.constantFrom('ann', 'Bob_1', 'É', 'ΟΔΟΣ', '', 'u1');
const anyUser = fc.record(
  { id: oddly(fc.constantFrom('1', '2', 'u1')), username: oddly(anyName), name: anyText, verified: fc.boolean() },
  { requiredKeys: ['id'] },
);
const anyTag = fc.record(
  { start: fc.nat(9), end: fc.nat(20), tag: oddly(fc.oneof(anyName, anyText)) },
  { requiredKeys: ['tag'] },
);
const anyMention = fc.record(
  { start: fc.nat(9), username: oddly(anyName), id: oddly(fc.constantFrom('1', '7')) },
  { requiredKeys: [] },
);
const anyAddress = fc.constantFrom(
  'https://t.co/x',
  'https://Example.org/Ab?c=d',
  'http://a.example/é',
  'https://t.co/x#y',
  '',
);
const anyUrl = fc.record(
  {
    start: oddly(fc.nat(9)),
    end: oddly(fc.integer({ min: 5, max: 30 })),
    url: oddly(anyAddress),
    expanded_url: oddly(anyAddress),
    unwound_url: oddly(anyAddress),
    title: anyText,
    description: anyText,
  },
  { requiredKeys: ['url', 'start', 'end'] },
);
const list = (of: fc.Arbitrary<unknown>) => oddly(fc.array(of, { maxLength: 3 }));
const anyEntities = fc.record(
  {
    hashtags: list(oddly(anyTag)),
    mentions: list(anyMention),
    cashtags: list(anyTag),
    urls: list(anyUrl),
    annotations: list(anyTag),
  },
  { requiredKeys: [] },
);

const anyPost = fc.record(
  {
    id: oddly(fc.constantFrom('1', '99', 'é')),
    text: oddly(anyText),
    author_id: oddly(fc.constantFrom('1', '2', 'u1')),
    lang: oddly(fc.constantFrom('en', 'DE', 'x'.repeat(70))),
    entities: oddly(anyEntities),
    attachments: fc.constant({ media_keys: ['3_1'] }),
    geo: fc.constant({ place_id: 'p' }),
    conversation_id: oddly(fc.constantFrom('1', '77', '')),
    source: fc.constant('Web'),
    in_reply_to_user_id: fc.constant('2'),
    note_tweet: fc.constant({ text: 'a longer note' }),
    referenced_tweets: fc.constantFrom([{ type: 'quoted', id: '5' }], [{ type: 'replied_to', id: '5' }]),
  },
  { requiredKeys: ['id', 'text'] },
);

/** Common posts are those with few keys. */
const anyPayload = fc.record(
  {
    data: fc.oneof(
      {
        weight: 3,
        arbitrary: fc.record({
          id: fc.constant('1'),
          text: anyText,
          author_id: fc.constant('1'),
          lang: fc.constant('en'),
        }),
      },
      { weight: 3, arbitrary: fc.record({ id: fc.constant('1'), text: anyText, entities: anyEntities }) },
      { weight: 2, arbitrary: anyPost },
    ),
    includes: fc.record(
      { users: fc.array(oddly(anyUser), { maxLength: 3 }), media: fc.constant([]) },
      { requiredKeys: [] },
    ),
    matching_rules: fc.constant([{ id: '1' }]),
  },
  { requiredKeys: ['data'] },
);

export const anyPostLine = linesOf(anyPayload, ['"text":"x",', '"id":"2",', '"data":{},', ' ']);
