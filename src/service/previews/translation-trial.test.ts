import { describe, expect, it } from 'vitest';
import type { Payload } from '../../domain/match.ts';
import type { Platform } from '../../domain/platform.ts';
import { newAnalyzer } from '../../engine/events/analyzer.ts';
import { isRejection } from '../../engine/events/event-view.ts';
import { queryHolds } from '../../engine/one-rule/holds.ts';
import { ViewLookup } from '../../engine/one-rule/view-lookup.ts';
import { languages } from '../../rules/languages.ts';
import { any, type Query } from '../../rules/query.ts';
import { translate } from '../../rules/translate.ts';
import { samplesFor } from '../../rules/translate-samples.ts';
import { OPERATORS } from '../../rules/x/syntax-table.ts';
import type { RecentEvent } from '../../store/store.ts';
import { saidOf, shownBy, type TranslationTrial, tryTranslation } from './translation-trial.ts';
import { pageOfContent, postOf } from './twins.ts';

const LANGUAGES = languages();
/** As many as a store may give at once. */
const SLICE = 100;
const NOW = new Date('2026-11-15T12:00:00Z');

async function* recentOf(platform: Platform, payloads: Iterable<Payload>): AsyncGenerator<readonly RecentEvent[]> {
  let slice: RecentEvent[] = [];
  for (const payload of payloads) {
    slice.push({ event: { platform, postId: '1', payload }, at: NOW } as unknown as RecentEvent);
    if (slice.length < SLICE) continue;
    yield slice;
    slice = [];
  }
  yield slice;
}

function tried(from: Platform, rule: string, payloads: readonly Payload[] = []): Promise<TranslationTrial> {
  const original = LANGUAGES[from].queryOf(rule)!;
  const translation = translate(original, from === 'x' ? 'firehose' : 'x').query!;
  return tryTranslation({ from, original, translation, recent: recentOf(from, payloads), now: NOW, checkpoint });
}

const checkpoint = () => {};
const post = (text: string): Payload => ({ data: { id: '1', text } });

describe('the trial of a translation', () => {
  it('names what is missed and what is found beside', async () => {
    const narrower = await tried('x', 'tesla');
    expect(narrower.misses).toEqual(expect.arrayContaining(['possessives', 'names with a dot', 'underscores']));
    expect([narrower.finds, narrower.samples.extra]).toEqual([[], 0]);
    const wider = await tried('firehose', 'tesla');
    expect(wider.finds).toContain('possessives');
    expect([wider.misses, wider.samples.missed]).toEqual([[], 0]);
    expect((await tried('firehose', 'istanbul')).misses).toEqual(['the capital İ']);
  });

  it('names nothing else where the words as they are written make the difference', async () => {
    const original = LANGUAGES.x.queryOf('lava')!;
    const translation: Query = { kind: 'term', field: 'added', term: 'magma' };
    const trial = await tryTranslation({
      from: 'x',
      original,
      translation,
      recent: recentOf('x', []),
      now: NOW,
      checkpoint,
    });
    expect([trial.misses, trial.finds]).toEqual([['the rule as it is written'], []]);
    expect((await tried('firehose', '"日本"')).misses).toContain('signs between the words');
    expect((await tried('firehose', '"日本"')).misses).not.toContain('possessives');
  });

  it('counts recent events beside their likes on the other platform', async () => {
    const posts = [
      post('Tesla is here'),
      post("Tesla's cars &amp; more"),
      post('no'),
      post('see tesla.com'),
      post('TESLA'),
    ];
    const trial = await tried('x', 'tesla', posts);
    expect(trial.recent).toEqual({ events: 5, original: 4, translation: 2, missed: 2, extra: 0 });
    expect(saidOf(trial)).toMatch(/^The original matches 4 recent events; the translation misses 2 of them \(50 %\)\./);
    const page = {
      id: '1',
      title: 'Tesla',
      diff: {
        chunks: [
          { typ: 'ins', text: "Tesla's car" },
          { typ: 'del', text: 'tesla' },
        ],
      },
    };
    expect((await tried('firehose', 'tesla', [page])).recent).toMatchObject({ original: 0, translation: 1, extra: 1 });
  });

  it('overrules what is said of the whole where it shows otherwise', async () => {
    // A script without word rules, right behind the word: pages cut it off, and posts do not.
    const strange = await tried('x', 'tesla', [post('teslaᥨᥟᥑᥭ')]);
    expect(strange.recent).toMatchObject({ missed: 0, extra: 1 });
    expect(shownBy(strange, 'narrower')).toBe('differs');
    expect(shownBy(await tried('x', 'tesla'), 'narrower')).toBe('narrower');
    expect(shownBy(await tried('x', 'tesla'), 'exact')).toBe('differs');
  });

  it('looks at what a repost reposts', async () => {
    const repost = {
      data: { id: '1', text: 'RT @a: the…', referenced_tweets: [{ type: 'retweeted', id: '2' }] },
      includes: { tweets: [{ id: '2', text: 'the tesla' }] },
    };
    expect((await tried('x', 'tesla', [repost])).recent).toMatchObject({ original: 1, translation: 1 });
  });

  it('costs no more for a rule of many clauses or a long row of events', async () => {
    const word = (index: number): Query => ({ kind: 'term', field: 'text', term: `lava${index}` });
    const long = any(Array.from({ length: 500 }, (_, index) => word(index)));
    let read = 0;
    const endless = function* () {
      for (;;) {
        read++;
        yield post('lava1 lava2');
      }
    };
    for (const [original, most] of [
      [long, 45],
      [word(1), 1_300],
    ] as const) {
      read = 0;
      const translation = translate(original, 'firehose').query!;
      const recent = recentOf('x', endless());
      const trial = await tryTranslation({ from: 'x', original, translation, recent, now: NOW, checkpoint });
      expect(trial.checks).toBeLessThanOrEqual(42_000);
      expect(trial.samples.events + trial.recent.events).toBeLessThanOrEqual(most);
      expect(read).toBeLessThanOrEqual(1_000 + SLICE);
    }
  });

  it('ends when recent events hold a great many words', async () => {
    const posts = Array.from({ length: 1_000 }, () => post('lava '.repeat(20_000)));
    expect((await tried('x', 'lava', posts)).recent.events).toBeLessThan(15);
  });
});

const NONE = { events: 0, original: 0, translation: 0, missed: 0, extra: 0 };
const trialOf = (change: Partial<TranslationTrial> = {}): TranslationTrial => ({
  samples: NONE,
  recent: NONE,
  misses: [],
  finds: [],
  untried: [],
  checks: 0,
  ...change,
});

describe('what a trial shows', () => {
  const VERDICTS = ['exact', 'wider', 'narrower', 'differs'] as const;

  it.each([
    ['nothing', {}, ['exact', 'wider', 'narrower', 'differs']],
    ['a miss on samples', { samples: { ...NONE, missed: 1 } }, ['differs', 'differs', 'narrower', 'differs']],
    ['a miss on recent events', { recent: { ...NONE, missed: 1 } }, ['differs', 'differs', 'narrower', 'differs']],
    ['an extra on samples', { samples: { ...NONE, extra: 1 } }, ['differs', 'wider', 'differs', 'differs']],
    ['an extra on recent events', { recent: { ...NONE, extra: 1 } }, ['differs', 'wider', 'differs', 'differs']],
  ])('after %s leaves or overrules the verdict', (_, trial, shown) => {
    expect(VERDICTS.map((verdict) => shownBy(trialOf(trial), verdict))).toEqual(shown);
  });

  it('is said in whole sentences, of recent events only where some matched', () => {
    expect(saidOf(trialOf({ samples: { ...NONE, events: 7, original: 3 } }))).toBe(
      'On 7 texts made for this rule, the translation misses nothing and finds nothing extra.',
    );
    const recent = { events: 900, original: 300, translation: 100, missed: 100, extra: 1 };
    const samples = { events: 9, original: 6, translation: 4, missed: 4, extra: 2 };
    expect(saidOf(trialOf({ recent, samples, misses: ['possessives', 'underscores'], finds: ['dots'] }))).toBe(
      'The original matches 300 recent events; the translation misses 100 of them (33 %). ' +
        'The translation matches 100; the original misses 1 of those (1 %). ' +
        'On 9 texts made for this rule, the translation misses 4 of 6 (possessives, underscores) and also finds 2 that the original does not (dots).',
    );
    expect(saidOf(trialOf({ recent: { ...NONE, original: 1 } }))).toMatch(/misses 0 of them \(0 %\)\. No text/);
    expect(saidOf(trialOf({ recent: { ...NONE, translation: 1 } }))).toMatch(/^The translation matches 1;/);
  });

  it('agrees with its own numbers, also where no kind of text has a name', async () => {
    for (const rule of ['volcano -(lava magma)', '(a1 OR b2) (c3 OR d4) -(e5 f6)', '-volcano lava OR magma']) {
      const trial = await tried('x', rule);
      expect(trial.samples.extra > 0).toBe(!saidOf(trial).includes('finds nothing extra'));
      expect(trial.samples.missed > 0).toBe(!saidOf(trial).includes('misses nothing'));
    }
  });

  it('admits what no text could be made for', async () => {
    const trial = await tried('firehose', 'volcano AND /la[vw]a/');
    expect(trial.samples.original).toBe(0);
    expect(saidOf(trial)).toContain(
      'No text could be made that satisfies /la[vw]a/, so what the translation misses was not compared.',
    );
  });

  it.each([
    ...OPERATORS.filter(({ name }) => !name.startsWith('embedding')).map(({ example }) => ['x', example] as const),
    ...['from:44', 'has:videos', 'is:verified', 'is:quote', 'is:reply', 'to:44', 'retweets_of:44'].map(
      (clause) => ['x', `volcano ${clause}`] as const,
    ),
    ...[
      'dr:[50 TO *]',
      'dr:{50 TO 60}',
      'page_type:"/Article"',
      'page_category:"/Science"',
      'removed:lava',
      'added_anchor:lava',
      'removed_anchor:lava',
      'url:*.pdf',
      'recent:7d',
      'publish_time:[2026-01-01 TO 2026-12-31]',
    ].map((clause) => ['firehose', `volcano AND ${clause}`] as const),
  ])('makes posts and pages that satisfy each operator: %s %s', async (from, rule) => {
    const now = NOW.getTime();
    const query = languages({ level: 'enterprise' })[from].queryOf(rule)!;
    const views = samplesFor(query, 60).map((sample) => (from === 'x' ? postOf(sample) : pageOfContent(sample, NOW)));
    const analyze = newAnalyzer(from);
    expect(views.some((payload) => queryHolds(query, new ViewLookup(accepted(analyze(payload)), now)))).toBe(true);
  });
});

function accepted(view: ReturnType<ReturnType<typeof newAnalyzer>>) {
  if (isRejection(view)) throw new Error(view.rejected);
  return view;
}

describe('the size of a trial', () => {
  const term = (word: string, field = 'text'): Query => ({ kind: 'term', field, term: word });
  const sized = async (original: Query, translation: Query, events: number, check = checkpoint) => {
    const recent = recentOf(
      'x',
      Array.from({ length: events }, () => post('rain')),
    );
    return tryTranslation({ from: 'x', original, translation, recent, now: NOW, checkpoint: check });
  };

  it('is a thousand recent events of a rule of one clause, and fewer of one with many', async () => {
    const one = await sized(term('lava'), term('lava', 'added'), 1_100);
    expect(one.recent.events).toBe(1_000);
    expect(one.checks).toBe((one.samples.events + 1_000) * 2);
    // Ten clauses, those within groups and those that are excluded counted too.
    const words = ['a', 'b', 'c', 'd', 'e'].map((word) => term(`lava${word}`));
    const many: Query = { kind: 'all', of: [any(words.slice(0, 4)), { kind: 'not', query: words[4]! }] };
    const pages = any(Array.from({ length: 35 }, (_, at) => term(`lava${at}`, 'added')));
    const trial = await sized(many, pages, 1_100);
    expect(trial.recent.events).toBe(20_000 / 40);
    expect(trial.checks).toBe((trial.samples.events + 500) * 40);
  });

  it('ends when nobody wants it any more', async () => {
    let left = 300;
    const check = () => {
      if (--left === 0) throw new Error('The caller is gone.');
    };
    await expect(sized(term('lava'), term('lava', 'added'), 300, check)).rejects.toThrow('The caller is gone.');
  });

  it('leaves out what is no event on one of the two platforms', async () => {
    const original = term('lava');
    const recent = recentOf('x', [post('lava'), { nothing: 1 }]);
    const trial = await tryTranslation({
      from: 'x',
      original,
      translation: term('lava', 'added'),
      recent,
      now: NOW,
      checkpoint,
    });
    expect(trial.recent).toEqual({ events: 1, original: 1, translation: 1, missed: 0, extra: 0 });
  });
});
