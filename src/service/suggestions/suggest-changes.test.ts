import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { type AnswerOf, openService } from '../../../test/stages/service.ts';
import { newAnalyzer } from '../../engine/events/analyzer.ts';
import { isRejection } from '../../engine/events/event-view.ts';
import { holds } from '../../engine/scan.ts';
import { languages } from '../../rules/languages.ts';
import { upperShare } from '../../signal/exclusions.ts';

const both = languages({ local: true });
const DAY = 24 * 60 * 60 * 1_000;

async function stage(value = 'northline', intent = '') {
  const clock = fakeClock();
  const test = await openService({ clock });
  const alice = await test.caller('alice');
  const rule = { name: 'N', intent, platforms: ['x'], overrides: { x: value } };
  const { rule_id } = await test.call(alice, 'createRule', rule);
  let posted = 0;
  const push = async (...texts: string[]) => {
    const lines = texts.map((text) => JSON.stringify({ data: { id: String(++posted), text } })).join('\n');
    const pushed = test.call(alice, 'pushEvents', { platform: 'x', lines });
    await clock.pass(1_000);
    await pushed;
  };
  const list = async () => (await test.call(alice, 'listMatches', { limit: 1_000 })).matches;
  const rate = async (of: (text: string) => 'relevant' | 'irrelevant' | null) => {
    for (const { id, payload } of await list()) {
      const rating = of(JSON.stringify(payload));
      if (rating !== null) await test.call(alice, 'rateMatch', { match_id: id, rating });
    }
  };
  const suggest = () => test.call(alice, 'suggestChanges', { rule_id });
  return Object.assign(test, { clock, alice, rule_id, push, list, rate, suggest });
}

const outages = (count: number) =>
  Array.from({ length: count }, (_, at) => `Northline outage in district${at} ok${at % 4}`);
const jobs = (count: number) => Array.from({ length: count }, (_, at) => `Northline hiring engineer${at} now`);
const isJob = (text: string) => text.includes('hiring');

type Match = AnswerOf<'listMatches'>['matches'][number];

function matched(value: string, { payload }: Match): boolean {
  const view = newAnalyzer('x')(payload);
  return !isRejection(view) && holds(both.x.queryOf(value)!, view, 0);
}

const UNSOUND = new Set(['never-matches', 'matches-everything', 'pointless-clause']);

/** Every figure of the answer, counted again by the plain scan. */
function expectRecount(current: string, { suggestions }: AnswerOf<'suggestChanges'>, matches: readonly Match[]): void {
  const base = matches.filter((match) => matched(current, match));
  for (const { kind, value, change, effect, lost } of suggestions) {
    // A change that narrows keeps noise out and takes next to nothing of what is rated relevant.
    const bound = 0.004 * (effect.relevant_total + effect.unrated_total);
    expect(kind === 'widen' ? effect.recent_added : effect.irrelevant_removed).toBeGreaterThan(0);
    expect(kind === 'widen' ? 0 : effect.relevant_lost).toBeLessThanOrEqual(bound);
    expect(both.x.parse(value).diagnostics.filter(({ code }) => UNSOUND.has(code))).toEqual([]);
    const gone = base.filter((match) => !matched(value, match));
    const of = (list: readonly Match[], rating: string | null) => list.filter((match) => match.rating === rating);
    const chosen = kind === 'widen' ? 0 : kind === 'narrow' ? 0.5 : 0.5 * change.split(' -').length;
    const [relevant, unrated] = ['relevant', null].map((rating) => of(base, rating).length) as [number, number];
    const lossKnown = of(gone, 'relevant').length + chosen;
    const byRatings = upperShare(lossKnown, relevant);
    const byAll = upperShare(lossKnown + of(gone, null).length, relevant + unrated);
    expect(effect).toMatchObject({
      irrelevant_removed: of(gone, 'irrelevant').length,
      irrelevant_total: of(base, 'irrelevant').length,
      relevant_lost: of(gone, 'relevant').length,
      relevant_total: of(base, 'relevant').length,
      recent_removed: gone.length,
      recent_total: base.length,
      unrated_removed: of(gone, null).length,
      unrated_total: unrated,
      relevant_lost_upper: Math.round(Math.min(byRatings, byAll) * 1e4) / 1e4,
      relevant_lost_basis: byRatings <= byAll ? 'rated' : 'unrated',
    });
    expect(lost.map(({ id }) => id)).toEqual(
      of(gone, 'relevant')
        .slice(0, 20)
        .map(({ id }) => id),
    );
  }
}

describe('suggest changes', () => {
  it('claims nothing before anything is rated', async () => {
    await using test = await stage();
    await test.push(...outages(8), ...jobs(8));
    expect(await test.suggest()).toEqual({ suggestions: [], basis: { rated: 0, recent: 16 }, ask: [], checked: [] });
  });

  it('excludes the word that the irrelevant matches have, with its effect', async () => {
    await using test = await stage();
    await test.push(...outages(30), ...jobs(8));
    await test.rate((text) => (isJob(text) ? 'irrelevant' : 'relevant'));
    const answer = await test.suggest();
    expect(answer.basis).toEqual({ rated: 38, recent: 38 });
    const found = answer.suggestions.find(({ value }) => value === 'northline -hiring');
    expect(found).toMatchObject({
      platform: 'x',
      kind: 'exclude',
      change: '-hiring',
      effect: { irrelevant_removed: 8, irrelevant_total: 8, relevant_lost: 0, relevant_total: 30, recent_removed: 8 },
      lost: [],
    });
    expect(found!.effect.relevant_lost_upper).toBeGreaterThan(0.1);
    expectRecount('northline', answer, await test.list());
  });

  it('requires a word that the relevant ones have, and shows the very matches that would be lost', async () => {
    await using test = await stage();
    const odd = 'Northline is dark in the north';
    await test.push(...outages(300), ...Array.from({ length: 20 }, (_, at) => `Northline chat${at} say${at}`), odd);
    const isNew = (text: string) => /district(?:[3-9]\d|\d{3}) /.test(text);
    await test.rate((text) => (text.includes('chat') ? 'irrelevant' : isNew(text) ? null : 'relevant'));
    const answer = await test.suggest();
    const narrow = answer.suggestions.find(({ kind }) => kind === 'narrow');
    expect(narrow).toMatchObject({ value: 'northline outage', effect: { irrelevant_removed: 20, relevant_lost: 1 } });
    expect(narrow!.lost.map(({ payload }) => JSON.stringify(payload))).toEqual([expect.stringContaining(odd)]);
    expectRecount('northline', answer, await test.list());
  });

  it('offers nothing that keeps out as much of what is wanted as of the noise', async () => {
    await using test = await stage();
    const common = Array.from({ length: 10 }, (_, at) => `Northline breaking say${at}`);
    await test.push(...outages(20), ...common, ...jobs(10).map((text) => `${text} breaking`));
    await test.rate((text) => (isJob(text) ? 'irrelevant' : 'relevant'));
    const answer = await test.suggest();
    expect(answer.suggestions.map(({ value }) => value)).toContain('northline -hiring');
    expect(answer.suggestions.filter(({ value }) => value.includes('breaking'))).toEqual([]);
    const worth = answer.suggestions.map(({ effect }) => effect.irrelevant_removed);
    expect(worth).toEqual(worth.toSorted((one, other) => other - one));
    expectRecount('northline', answer, await test.list());
  });

  it('keeps the sense of a rule whose parts are joined by OR', async () => {
    await using test = await stage('northline OR southline');
    await test.push(...outages(20), ...jobs(8), ...outages(6).map((text) => text.replace('North', 'South')));
    await test.rate((text) => (isJob(text) ? 'irrelevant' : 'relevant'));
    const answer = await test.suggest();
    expect(answer.suggestions.map(({ value }) => value)).toContain('(northline OR southline) -hiring');
    expectRecount('northline OR southline', answer, await test.list());
  });

  const words = ['refund', 'broken', 'delivery'];
  const complaints = (count: number) =>
    Array.from({ length: count }, (_, at) => `Acme ${words[at % 3]} again, order${at} sale`);

  it.each([
    ['acme (refund OR broken OR delivery)', ''],
    ['(refund OR broken OR delivery) sale', 'Acme'],
    ['"acme refund" OR "acme broken" OR "acme delivery"', 'tell me of sales'],
  ])('offers nothing that ends %s, though all that is rated is irrelevant', async (value, intent) => {
    await using test = await stage(value, intent);
    await test.push(...complaints(24));
    await test.rate(() => 'irrelevant');
    expect(await test.suggest()).toMatchObject({ suggestions: [], ask: [] });
    await test.push(...complaints(60));
    const { suggestions, ask } = await test.suggest();
    expect(suggestions).toEqual([]);
    expect(ask).toMatchObject([{ rating: null }, { rating: null }, { rating: null }]);
  });

  it('never excludes a word of the rule or of its intent, in whatever form', async () => {
    await using test = await stage('northline', 'People who are looking for work: hiring, but not internships');
    await test.push(...outages(60), ...jobs(8).map((text) => `${text} #hiringnow internship`));
    await test.rate((text) => (isJob(text) ? 'irrelevant' : null));
    const { suggestions } = await test.suggest();
    expect(suggestions.map(({ change }) => change)).toEqual(['-internship']);
  });

  it('counts matches without a rating as wanted, and asks for those that would decide', async () => {
    await using test = await stage();
    await test.push(...outages(60), ...jobs(10));
    // Five of ten that are alike are rated: whether the others are wanted is not known.
    await test.rate((text) => (/engineer[0-4] /.test(text) ? 'irrelevant' : null));
    const first = await test.suggest();
    expect(first.suggestions).toEqual([]);
    expect(first.ask).toHaveLength(3);
    expect(first.ask.every(({ payload, rating }) => rating === null && isJob(JSON.stringify(payload)))).toBe(true);
    for (const { id } of first.ask) await test.call(test.alice, 'rateMatch', { match_id: id, rating: 'irrelevant' });
    for (const { id } of (await test.suggest()).ask.filter(({ payload }) => isJob(JSON.stringify(payload))))
      await test.call(test.alice, 'rateMatch', { match_id: id, rating: 'irrelevant' });
    const answer = await test.suggest();
    expect(answer.suggestions[0]).toMatchObject({
      value: 'northline -hiring',
      effect: {
        relevant_lost: 0,
        relevant_total: 0,
        unrated_removed: 0,
        unrated_total: 60,
        relevant_lost_basis: 'unrated',
      },
    });
    expect(answer.suggestions[0]!.effect.relevant_lost_upper).toBeGreaterThan(0.05);
    expectRecount('northline', answer, await test.list());
  });

  it('does not widen a rule whose matches are mostly irrelevant', async () => {
    await using test = await stage('volcano erupts');
    await test.push('a volcano erupts', ...Array.from({ length: 5 }, (_, at) => `the volcano erupted ${at}`));
    expect((await test.suggest()).suggestions).toHaveLength(1);
    await test.rate(() => 'irrelevant');
    expect((await test.suggest()).suggestions).toEqual([]);
  });

  it('offers another form of a word that kept events out, and says how many it would add', async () => {
    await using test = await stage('volcano erupts');
    await test.push(
      'a volcano erupts',
      ...Array.from({ length: 5 }, (_, at) => `the volcano erupted ${at}`),
      'volcano tea',
    );
    const { suggestions } = await test.suggest();
    expect(suggestions).toMatchObject([
      {
        kind: 'widen',
        change: '(erupts OR erupted)',
        value: 'volcano (erupts OR erupted)',
        effect: { recent_added: 5, recent_removed: 0 },
      },
    ]);
  });

  it('compares what an applied suggestion did with what it predicted, from a day later on', async () => {
    await using test = await stage();
    await test.push(...outages(30), ...jobs(10));
    await test.rate((text) => (isJob(text) ? 'irrelevant' : 'relevant'));
    const { suggestions } = await test.suggest();
    const { value, id } = suggestions.find((one) => one.value === 'northline -hiring')!;
    await test.call(test.alice, 'updateRule', { rule_id: test.rule_id, overrides: { x: value } });
    expect((await test.suggest()).checked).toEqual([]);
    await test.push(...outages(15), ...jobs(15));
    test.clock.jump(DAY - 1_001);
    expect((await test.suggest()).checked).toEqual([]);
    await test.clock.pass(1);
    expect((await test.suggest()).checked).toMatchObject([
      { id, platform: 'x', value, predicted_removed_share: 0.25, actual_removed_share: 0.5, events_matched_before: 30 },
    ]);
  });

  it('counts rated matches and events of some days ago as they were matched', async () => {
    await using test = await stage();
    const rule = { name: 'P', intent: '', platforms: ['firehose'], overrides: { firehose: 'northline AND recent:1d' } };
    const { rule_id } = await test.call(test.alice, 'createRule', rule);
    let pages = 0;
    const pushPages = async (texts: readonly string[]) => {
      const publish_time = test.clock.now().toISOString().slice(0, 19);
      const page = (text: string) => ({ id: `p${++pages}`, url: 'https://a.example/', added: [text], publish_time });
      const lines = texts.map((text) => JSON.stringify(page(text))).join('\n');
      const pushed = test.call(test.alice, 'pushEvents', { platform: 'firehose', lines });
      await test.clock.pass(1_000);
      await pushed;
    };
    await pushPages([...outages(30), ...jobs(8)]);
    await test.rate((text) => (isJob(text) ? 'irrelevant' : 'relevant'));
    test.clock.jump(5 * DAY);
    const { suggestions } = await test.call(test.alice, 'suggestChanges', { rule_id });
    const { value, effect } = suggestions.find(({ kind }) => kind === 'exclude')!;
    expect(effect).toMatchObject({ irrelevant_removed: 8, relevant_lost: 0, relevant_total: 30, recent_total: 38 });
    await test.call(test.alice, 'updateRule', { rule_id, overrides: { firehose: value } });
    await pushPages([...outages(15), ...jobs(15)]);
    test.clock.jump(5 * DAY);
    const { checked } = await test.call(test.alice, 'suggestChanges', { rule_id });
    expect(checked).toMatchObject([{ events_matched_before: 30, actual_removed_share: 0.5 }]);
  });

  it('predicts what a wider text adds by the events that both texts were tried on', async () => {
    await using test = await stage('volcano erupts');
    const { recentEvents } = test.store;
    // The stored matches go back further than the recent events.
    Object.assign(test.store, {
      recentEvents: (accountId: string, platform: 'x' | 'firehose') => recentEvents(accountId, platform, 12),
    });
    const say = (text: string, count: number) => Array.from({ length: count }, (_, at) => `${text} ${at}`);
    await test.push(...say('a volcano erupts', 20));
    await test.push(...say('volcano erupts now', 6), ...say('the volcano erupted', 6));
    const { value, effect } = (await test.suggest()).suggestions[0]!;
    expect([value, effect.recent_added, effect.recent_total]).toEqual(['volcano (erupts OR erupted)', 6, 26]);
    await test.call(test.alice, 'updateRule', { rule_id: test.rule_id, overrides: { x: value } });
    test.clock.jump(DAY);
    expect((await test.suggest()).checked).toMatchObject([{ value, predicted_removed_share: -1 }]);
  });

  it('checks the suggestion of last week, however many were applied today', async () => {
    await using test = await stage();
    const { account } = test.alice;
    for (const [id, value] of Object.entries({ week: 'northline -tea', a: 'ash', b: 'lava', c: 'rain' })) {
      const made = { id, at: test.clock.now(), kind: 'exclude', was: 'northline', value, share: 0.5 } as const;
      await test.store.keepSuggestions(account.id, test.rule_id, 'x', [made]);
      await test.call(test.alice, 'updateRule', { rule_id: test.rule_id, overrides: { x: value } });
      test.clock.jump(id === 'week' ? 7 * DAY : 1_000);
    }
    expect((await test.suggest()).checked.map(({ id }) => id)).toEqual(['week']);
    test.clock.jump(2 * DAY);
    expect((await test.suggest()).checked.map(({ id }) => id)).toEqual(['c', 'b', 'a']);
  });

  it('says that it does not know where too few events came since', async () => {
    await using test = await stage();
    await test.push(...outages(30), ...jobs(10));
    await test.rate((text) => (isJob(text) ? 'irrelevant' : 'relevant'));
    await test.suggest();
    await test.call(test.alice, 'updateRule', { rule_id: test.rule_id, overrides: { x: 'northline -hiring' } });
    await test.push(...jobs(3));
    test.clock.jump(DAY);
    expect((await test.suggest()).checked).toMatchObject([{ actual_removed_share: null, events_matched_before: 3 }]);
  });

  it('shows a megabyte of matches, on all platforms together', async () => {
    await using test = await stage();
    const rule = {
      name: 'Both',
      intent: '',
      platforms: ['x', 'firehose'],
      overrides: { x: 'northline', firehose: 'northline' },
    };
    const { rule_id } = await test.call(test.alice, 'createRule', rule);
    let pages = 0;
    const pushPages = async (...texts: string[]) => {
      for (const text of texts) {
        const page = {
          id: `page ${++pages}`,
          url: `https://a.example/${pages}`,
          title: text.slice(0, 60),
          added: [text],
        };
        const pushed = test.call(test.alice, 'pushEvents', { platform: 'firehose', lines: JSON.stringify(page) });
        await test.clock.pass(1_000);
        await pushed;
      }
    };
    await test.push(...outages(30), ...jobs(20));
    await pushPages(...outages(30), ...jobs(20));
    await test.rate((text) => (isJob(text) ? 'irrelevant' : 'relevant'));
    const long = jobs(3).map((text, at) => `${text} ${String(at).repeat(220_000)}`);
    await test.push(...long);
    await pushPages(...long);
    const answer = await test.call(test.alice, 'suggestChanges', { rule_id });
    const shown = answer.suggestions.flatMap(({ unrated_removed }) => unrated_removed);
    expect(shown.length).toBeGreaterThan(1);
    expect(JSON.stringify(answer).length).toBeLessThan(1.3 * 1024 * 1024);
  });

  it('refuses a rule of another account, an unknown one, and a platform that the rule is not on', async () => {
    await using test = await stage();
    const bob = await test.caller('bob');
    const { rule_id } = test;
    await expect(test.call(bob, 'suggestChanges', { rule_id })).rejects.toMatchObject({ code: 'not_found' });
    const elsewhere = test.call(test.alice, 'suggestChanges', { rule_id, platform: 'firehose' });
    await expect(elsewhere).rejects.toMatchObject({ code: 'invalid_argument' });
    await test.call(test.alice, 'deleteRule', { rule_id });
    await expect(test.suggest()).rejects.toMatchObject({ code: 'not_found' });
  });

  it('suggests only valid texts whose effect is a recount, whatever was rated how', async () => {
    const word = fc.constantFrom('lava', '#ash', "don't", 'the', 'or', 'hiring', 'éa', 'rain now', 'storm_1');
    const text = fc.array(word, { maxLength: 5 }).map((some) => ['northline', ...some].join(' '));
    const rated = fc.array(fc.tuple(text, fc.constantFrom('relevant', 'irrelevant', null)), {
      minLength: 4,
      maxLength: 24,
    });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('northline', '(northline OR lava) -tea'), rated, async (value, posts) => {
        await using test = await stage(value);
        await test.push(...posts.map(([one]) => one), ...outages(40));
        const matches = await test.list();
        for (const { id, platform_post_id } of matches) {
          const rating = posts[Number(platform_post_id) - 1]?.[1] ?? null;
          if (rating !== null) await test.call(test.alice, 'rateMatch', { match_id: id, rating });
        }
        expectRecount(value, await test.suggest(), await test.list());
      }),
      { numRuns: 12 },
    );
  });
});
