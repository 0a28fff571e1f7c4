import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { isRejection } from '../../engine/events/event-view.ts';
import { languages } from '../../rules/languages.ts';
import { EVERYTHING } from '../../rules/query.ts';
import { textsOfRequest } from '../../rules/rule-text.ts';
import { eventsOfRow } from '../../sources/history/archive-history.ts';
import { POSTS } from '../../sources/kinds/bluesky/wire.ts';
import { loadLanguages } from '../../sources/text/language.ts';
import { clauseMatcher } from '../ingest/clause-matcher.ts';
import { createAnalysis } from '../ingest/long-events.ts';
import { failedAtGlance } from './glance.ts';
import { createRehearser } from './rehearser.ts';

beforeAll(loadLanguages);

const known = languages({ local: true });
const time = 1_760_000_000_000_000;

/** As the archive brings it. */
const eventOf = (record: object, did = 'did:plc:author') =>
  eventsOfRow(
    {
      seq: 1,
      time,
      event: {
        did,
        seq: 1,
        time,
        commit: { operation: 'create', collection: POSTS, rkey: '3lpost', cid: 'bafy', record: record as never },
        original: {},
      },
    },
    'jetstream',
    ['x'],
  )[0]!;

/** Words that stand alone, within others, with accents, in scripts without blanks, and beside signs. */
const WORDS =
  'the then other Etna etnas Ätna ETNA a\u0301sh ásh 火山 火 1\u20e3 e1\u20e3 $NVDA &amp; <etna> _etna_ etna’s İ'.split(
    ' ',
  );
const NEEDLES = ['the', 'etna', '火山', 'ásh', '"the etna"', 'url:etna', '#etna', '$nvda', 'from:ada'];
const CLAUSES = [...NEEDLES, 'lang:en', 'lang:de', 'is:reply', 'is:quote', 'is:retweet', 'has:links', 'has:cashtags'];

/** Now and then, something that is too long. */
const orLong = <T>(usual: fc.Arbitrary<T>, long: T): fc.Arbitrary<T> =>
  fc.oneof({ weight: 40, arbitrary: usual }, { weight: 1, arbitrary: fc.constant(long) });
const uri = orLong(
  fc.constantFrom(
    'https://etna.example/the',
    'https://a.example',
    'at://did:plc:ada/app.bsky.feed.post/3l',
    'at://did:plc:ada/app.bsky.graph.list/3l',
  ),
  `https://long.example/${'x'.repeat(9_000)}`,
);
const reference = fc.record({ uri, cid: orLong(fc.constant('bafy'), 'c'.repeat(2_000)) }, { requiredKeys: ['uri'] });
const feature = fc.oneof(
  fc.record({ uri }),
  fc.record({ tag: orLong(fc.constant('etna'), 't'.repeat(1_100)) }),
  fc.record({ did: orLong(fc.constant('did:plc:ada'), 'd'.repeat(1_100)) }),
);
const facet = fc.record({
  index: fc.record({ byteStart: fc.nat(9), byteEnd: orLong(fc.nat(30), 2_000) }),
  features: fc.array(feature, { maxLength: 2 }),
});
const shown = fc.record(
  {
    images: orLong(
      fc.array(fc.constant({ alt: 'etna' }), { maxLength: 2 }),
      Array.from({ length: 65 }, () => ({ alt: 'etna' })),
    ),
    external: fc.record({ uri, title: fc.constant('Etna'), description: fc.constant('the ash') }),
  },
  { requiredKeys: [] },
);
const text = orLong(
  fc
    .tuple(fc.array(fc.constantFrom(...WORDS), { maxLength: 8 }), fc.constantFrom(' ', ''))
    .map(([words, between]) => words.join(between)),
  `the ${'etna '.repeat(500)}`,
);
const record = fc.record(
  {
    text,
    langs: fc.constantFrom(['en'], ['de-AT'], ['nonsense'], [], 'en'),
    reply: fc.record({ root: reference, parent: reference }),
    facets: fc.array(facet, { maxLength: 2 }),
    tags: fc.array(orLong(fc.constant('etna'), 't'.repeat(1_100)), { maxLength: 2 }),
    embed: fc.oneof(
      shown,
      fc.record({ record: reference }),
      fc.record({ record: fc.record({ record: reference }), media: shown }),
    ),
  },
  { requiredKeys: ['text'] },
);
/** Each clause alone, beside another, excluded, and as one of two. */
const RULES = CLAUSES.flatMap((one, at) => {
  const [other, third] = [CLAUSES[(at + 1) % CLAUSES.length]!, CLAUSES[(at + 7) % CLAUSES.length]!];
  return [`etna ${one}`, `${one} ${other} etna`, `ash -${one}`, `(the OR etna) (${one} OR ${third})`];
});
const did = orLong(fc.constant('did:plc:author'), `did:web:${'d'.repeat(1_100)}`);

describe('a glance at a post', () => {
  it('says of every rule what a look at the whole post says, or nothing', async () => {
    const analyze = createAnalysis('x');
    const rules = RULES.map((rule) => {
      const clauses = known.x.clauses(rule);
      expect(clauses, rule).not.toEqual([]);
      return { rule, clauses, failing: clauseMatcher({ clauses, also: EVERYTHING, now: () => 0 }) };
    });
    let [decided, refused] = [0, 0];
    await fc.assert(
      fc.asyncProperty(record, did, async (one, author) => {
        const event = eventOf(one, author);
        const view = await analyze(event.payload);
        // A refused event counts as refused: no glance may pass it.
        expect(isRejection(view) ? event.glance : undefined).toBeUndefined();
        if (isRejection(view)) return void refused++;
        if (event.glance === undefined) return;
        for (const { rule, clauses, failing } of rules) {
          const failed = failedAtGlance(clauses, event.glance);
          if (failed === undefined) continue;
          decided++;
          expect([rule, failed]).toEqual([rule, failing(view)]);
        }
      }),
      { numRuns: 500 },
    );
    expect(decided).toBeGreaterThan(2_000);
    expect(refused).toBeGreaterThan(10);
  });

  it('passes no mention that is as long as the whole text', async () => {
    const facets = [{ index: { byteStart: 0, byteEnd: 1_400 }, features: [{ did: 'did:plc:ada' }] }];
    const event = eventOf({ text: 'x'.repeat(1_500), facets });
    expect(isRejection(await createAnalysis('x')(event.payload))).toBe(true);
    expect(event.glance).toBeUndefined();
  });

  it('is enough for a post that lacks the word: it is not put into the shape of X', async () => {
    const rehearser = createRehearser({
      texts: textsOfRequest({ x: 'etna lang:en' }, undefined),
      languages: known,
    });
    let looked = 0;
    const take = async (words: string, langs: readonly string[]) => {
      const { payload, platform, at, glance } = eventOf({ text: words, langs });
      await rehearser.take({
        platform,
        at,
        glance,
        get payload() {
          looked++;
          return payload;
        },
      });
    };
    await take('Ash over Etna', ['en']);
    expect(looked).toBeGreaterThan(0);
    // The first near misses are shown, and those that come later are counted.
    await take('Ash over Vesuvius', ['en']);
    await take('Ash over Vesuvius', ['en']);
    looked = 0;
    for (let post = 0; post < 10; post++) await take('Ash over Vesuvius', post < 5 ? ['en'] : ['it']);
    expect(looked).toBe(0);
    expect(rehearser.state(true).x).toMatchObject({ events: 13, matched: 1, missed: [7, 0] });
  });
});
