import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PLATFORMS } from '../src/domain/platform.ts';
import { createCoreEngine } from '../src/engine/core/core-engine.ts';
import { fold } from '../src/rules/x/words.ts';
import { ANY_LINE, agreeOn, FIELD_SETS } from './generated/line-differential.ts';
import { HARD_MARKS, MARKS, normalForms, OF_EACH_CLASS } from './generated/marks.ts';
import { damaged } from './generated/spelled-lines.ts';
import { createScan } from './stages/scan.ts';
import { hasSharedData, sharedLines } from './stages/shared-data.ts';

const CASES = PLATFORMS.flatMap((platform) => FIELD_SETS[platform].map((fields) => ({ platform, fields })));

describe.each(CASES)('on $platform, with rules on $fields', ({ platform, fields }) => {
  const expectAgreement = (lines: fc.Arbitrary<Buffer>, most: number) =>
    fc.assert(
      fc.property(
        fc.array(lines, { minLength: 1, maxLength: most }),
        (some) => void agreeOn(platform, some, fields, createScan()),
      ),
      { numRuns: 30 },
    );

  it('the core reads lines as the analyzer does', () => expectAgreement(ANY_LINE[platform], 6));

  it('the core takes no damaged line for another than JSON.parse does', () =>
    expectAgreement(damaged(ANY_LINE[platform]), 4));
});

const post = (text: string) => Buffer.from(JSON.stringify({ data: { id: '1', text } }));

it('the core reads the conversation of a post by itself: named, or begun by it', () => {
  const lines = [{ conversation_id: '77' }, {}, { conversation_id: '' }, { in_reply_to_user_id: '2' }].map((more) =>
    Buffer.from(JSON.stringify({ data: { id: '1', text: 'a', ...more } })),
  );
  expect(agreeOn('x', lines, FIELD_SETS.x[5]!, createScan())).toMatchObject({ walked: 2, left: 2 });
});

it.each([
  ['emoji joined into one', 'so 🤷🏼\u200d♂\ufe0f and 👨\u200d👩\u200d👧!'],
  ['a joiner that joins nothing', '🤷\u200d and 🌋\u200da 🌋\u200d'],
  ['a joiner before a flag', '🏴\u200d🇩🇪🇩🇪'],
  ['a tag behind an emoji, and a link', '🥊#boxing at t.co/x'],
  ['a tag behind a full stop, and a link', 'over...#budget at a.com'],
])('the core reads %s by itself, as the analyzer does', (_, text) => {
  const counts = agreeOn('x', [post(text)], FIELD_SETS.x[1]!, createScan());
  expect(counts).toMatchObject({ walked: 1, left: 0 });
});

it('the core reads a word in capitals that ends in Σ by itself, as the analyzer does, whatever sign stands behind it', () => {
  const lines = ['ΕΛΛΑΣ: ΟΔΟΣ.ΝΕΑ ΚΟΣΜΟΣ’ς', 'οδος ΟΔΟΣ οδοσ', '#ΟΔΟΣ:x ΣΣ Σ'].map(post);
  expect(agreeOn('x', lines, FIELD_SETS.x[1]!, createScan())).toMatchObject({ walked: 3, left: 0 });
});

const ORIGINAL = {
  id: '7',
  text: 'up Etna…',
  entities: { annotations: [{ start: 3, end: 6, normalized_text: 'Etna' }] },
};
const PROMOTED = '<a href="https://ads.example">Twitter for Advertisers</a>';

it.each<[string, object, object, string[]]>([
  ['long posts', { ...ORIGINAL, note_tweet: { text: 'up Etna and down' } }, {}, ['entity', 'text', 'has']],
  [
    'quotes in the older vocabulary',
    { referenced_posts: null, referenced_tweets: [{ type: 'quoted', id: '7' }] },
    { posts: null, tweets: [ORIGINAL] },
    ['text', 'is', 'has'],
  ],
  [
    'posts of affiliates',
    { author_id: '2' },
    { users: [{ id: '2', affiliation: { url: 'https://x.com/NASA' } }] },
    ['from_affiliate_of', 'text'],
  ],
  ['posts with an empty place', { text: '#a', geo: {} }, {}, ['has', 'place_id']],
  ['promoted posts', { source: PROMOTED }, {}, ['is', 'source']],
])('the core leaves %s to the analyzer', (_, data, includes, fields) => {
  const line = Buffer.from(JSON.stringify({ data: { id: '1', text: 'a', ...data }, includes }));
  expect(agreeOn('x', [line], new Set(fields), createScan())).toMatchObject({ walked: 0, left: 1 });
});

it.each<[unknown, number]>([
  [undefined, 1],
  ['b.example', 1],
  [['b.example'], 1],
  [['', null], 0],
  [null, 0],
  ['', 0],
  [[], 0],
])('the core agrees with the analyzer on a page whose domain is %j', (domain, walked) => {
  const line = Buffer.from(JSON.stringify({ url: 'https://www.a.example/', domain }));
  expect(agreeOn('firehose', [line], FIELD_SETS.firehose[3]!, createScan())).toMatchObject({ walked });
});

it.each([
  'see a.com/b.#tag',
  'see a.com?x=!#tag',
  'see a.com/#tag',
  'see a.com/(b)#tag',
  `a.com/${'b'.repeat(99)}.#tag`,
])('the core leaves a tag that stands in a link to the analyzer: %s', (text) => {
  expect(agreeOn('x', [post(`${text} #other`)], FIELD_SETS.x[1]!, createScan())).toMatchObject({ walked: 0, left: 1 });
});

it.each([
  ['of one class', '\u0316'.repeat(200)],
  ['of two classes, in order', '\u0316'.repeat(100) + '\u0305'.repeat(100)],
])('the core reads a run of 200 marks %s by itself, as the analyzer does', (_, run) => {
  expect(fold(`b${run}`)).toBe(`b${run}`);
  expect(agreeOn('x', [post(`b${run} c`)], FIELD_SETS.x[1]!, createScan())).toMatchObject({ walked: 1, left: 0 });
});

it.each([...HARD_MARKS.map((marks) => marks.repeat(100)), OF_EACH_CLASS.map((mark) => mark.repeat(31)).join('')])(
  'the core leaves a long run of marks out of order to the analyzer: %j',
  (run) => {
    expect(agreeOn('x', [post(`b${run} c`)], FIELD_SETS.x[1]!, createScan())).toMatchObject({ walked: 0, left: 1 });
  },
);

it('the core reads every mark among marks of other classes as the analyzer does, or leaves it', () => {
  const texts = MARKS.flatMap((mark) => [
    ...normalForms(mark),
    `b${mark.repeat(40)}\u0316`,
    `b${`${mark}\u0316`.repeat(20)}`,
  ]);
  for (let from = 0; from < texts.length; from += 200) {
    const { walked, left } = agreeOn(
      'x',
      [post(texts.slice(from, from + 200).join(' '))],
      FIELD_SETS.x[0]!,
      createCoreEngine(),
    );
    expect(walked + left).toBe(1);
  }
});

const asLines = (payloads: readonly unknown[]) => payloads.map((one) => Buffer.from(JSON.stringify(one)));
const oneIn = <T>(count: number, items: readonly T[]) => items.filter((_, at) => at % count === 0);

describe.runIf(hasSharedData)('shared: real events as lines', () => {
  // The scan would take minutes on so many rules.
  it.each([FIELD_SETS.x[1]!, FIELD_SETS.x[3]!])(
    'the core reads posts as the analyzer does, with rules on %s',
    (fields) => {
      const posts = oneIn(100, sharedLines('posts/x-v2-posts.ndjson.gz'));
      const texts = oneIn(
        600,
        sharedLines<{ id: string; text: string; lang?: string }>('posts/short-texts.ndjson.gz'),
      ).map(({ id, text, lang }) => ({ data: { id, text, lang } }));
      const { walked } = agreeOn('x', asLines([...posts, ...texts]), fields, createCoreEngine());
      expect(walked).toBeGreaterThan(texts.length / 2);
    },
  );

  it.each([FIELD_SETS.firehose[1]!, FIELD_SETS.firehose[3]!])(
    'the core reads pages as the analyzer does, with rules on %s',
    (fields) => {
      const pages = oneIn(50, sharedLines('pages/pages.ndjson.gz'));
      const { walked } = agreeOn('firehose', asLines(pages), fields, createCoreEngine());
      expect(walked).toBeGreaterThan(pages.length * 0.95);
    },
  );
});
