import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { openService } from '../../../test/stages/service.ts';

async function stage() {
  const test = await openService();
  return Object.assign(test, { alice: await test.caller('alice') });
}

describe('validate rule', () => {
  it('gives a valid rule with its canonical form and cost', async () => {
    await using test = await stage();
    const answer = await test.call(test.alice, 'validateRule', { platform: 'x', value: ' storm   (rain OR snow) ' });
    expect(answer).toMatchObject({ valid: true, issues: [], canonical: 'storm (rain OR snow)' });
    expect(answer.cost).toHaveProperty('share');
    expect(answer).not.toHaveProperty('matched');
  });

  it('answers an invalid rule as an answer, with every error at its place', async () => {
    await using test = await stage();
    const answer = await test.call(test.alice, 'validateRule', { platform: 'firehose', value: ' title:"storm' });
    expect(answer.valid).toBe(false);
    expect(answer.issues[0]).toMatchObject({ path: 'value', severity: 'error', position: { start: 7 } });
    expect(await test.call(test.alice, 'validateRule', { platform: 'x', value: '' })).toMatchObject({ valid: false });
  });

  it('tries it on an event', async () => {
    await using test = await stage();
    const event = { data: { id: '1', text: 'A storm' } };
    expect(await test.call(test.alice, 'validateRule', { platform: 'x', value: 'storm', event })).toMatchObject({
      matched: true,
      highlights: [{ field: 'data.text', start: 2, end: 7 }],
    });
    expect(await test.call(test.alice, 'validateRule', { platform: 'x', value: 'rain', event })).toMatchObject({
      matched: false,
      highlights: [],
      explanation: { label: 'text has "rain"', holds: false, of: [] },
    });
    const wrong = test.call(test.alice, 'validateRule', { platform: 'x', value: 'storm', event: { text: 'A storm' } });
    await expect(wrong).rejects.toMatchObject({ code: 'invalid_argument', details: { issues: [{ path: 'event' }] } });
  });

  it('names like words that are there instead of one that is absent, and the number that is there', async () => {
    await using test = await stage();
    const explained = async (platform: string, value: string, event: object) =>
      (await test.call(test.alice, 'validateRule', { platform, value, event })).explanation;
    const page = { url: 'https://a.example', added: "Tesla's plant, Teslas, a test" };
    expect(await explained('firehose', 'added:tesla', page)).toMatchObject({
      holds: false,
      near: ["tesla's", 'teslas'],
    });
    expect(await explained('firehose', 'added:storm', page)).not.toHaveProperty('near');
    const author = { id: '7', username: 'a', public_metrics: { followers_count: 7 } };
    const post = { data: { id: '1', text: 'cat', author_id: '7' }, includes: { users: [author] } };
    const rule = 'cat followers_count:10';
    expect((await explained('x', rule, post))?.of.at(-1)).toMatchObject({ holds: false, near: ['7'] });
  });

  it('takes no longer for a phrase of equal words than for any other', async () => {
    await using test = await stage();
    // Trying each place for each word would take 40 to the power of 12 steps: this test would never end.
    const value = `"${'a1 '.repeat(12)}zz"~40`;
    const event = { id: '1', url: 'http://e.example', added: 'a1 '.repeat(40) };
    expect(await test.call(test.alice, 'validateRule', { platform: 'firehose', value, event })).toMatchObject({
      matched: false,
      highlights: [],
    });
  });

  it('heeds the flags of firehose', async () => {
    await using test = await stage();
    const event = { url: 'https://a.example/?page=2', title: 'storm', page_category: ['/Adult'] };
    const matched = async (firehose: object) =>
      (
        await test.call(test.alice, 'validateRule', {
          platform: 'firehose',
          value: 'title:storm',
          event,
          options: { firehose },
        })
      ).matched;
    expect([await matched({}), await matched({ quality: true }), await matched({ nsfw: false })]).toEqual([
      true,
      false,
      false,
    ]);
  });
});

describe('preview rule', () => {
  it('says the share of all recent events only when there are a thousand', async () => {
    await using test = await stage();
    const ask = async () =>
      (await test.call(test.alice, 'previewRule', { platforms: ['x'], overrides: { x: 'storm' } })).platforms.x;
    await test.post(test.alice, ...Array.from({ length: 999 }, (_, at) => (at % 4 === 0 ? 'storm' : 'calm')));
    expect(await ask()).not.toHaveProperty('share');
    await test.post(test.alice, 'calm');
    expect(await ask()).toMatchObject({ events: 1_000, share: 0.25 });
  });

  it('shows matches of about a megabyte together, of both texts and all platforms, and counts all', async () => {
    await using test = await stage();
    const long = (word: string) => `${word} ${'so '.repeat(6_000)}`;
    await test.post(test.alice, ...Array.from({ length: 70 }, () => long('storm')));
    await test.post(test.alice, ...Array.from({ length: 70 }, () => long('hail')));
    const { platforms } = await test.call(test.alice, 'previewRule', {
      platforms: ['x'],
      overrides: { x: 'hail' },
      instead_of: { overrides: { x: 'storm' } },
      limit: 100,
    });
    const { matched, matches, difference } = platforms.x!;
    expect([matched, matches.length]).toEqual([70, 59]);
    expect([difference?.added.matched, difference?.added.matches]).toEqual([70, []]);
    expect([difference?.removed.matched, difference?.removed.matches]).toEqual([70, []]);
  });

  it('lets accounts take turns, and refuses what one account piles up', async () => {
    await using test = await stage();
    const bob = await test.caller('bob');
    await test.post(test.alice, ...Array.from({ length: 200 }, (_, at) => `storm ${at}`));
    const answered: string[] = [];
    const ask = async (name: string, caller: typeof bob) => {
      await test.call(caller, 'previewRule', { platforms: ['x'], overrides: { x: 'storm' } });
      answered.push(name);
    };
    const asked = [1, 2, 3, 4, 5].map((number) => ask(`alice ${number}`, test.alice));
    await expect(ask('alice 6', test.alice)).rejects.toMatchObject({ code: 'resource_exhausted', retryAfter: 5 });
    await Promise.all([...asked, ask('bob 1', bob)]);
    expect(answered).toEqual(['alice 1', 'alice 2', 'bob 1', 'alice 3', 'alice 4', 'alice 5']);
  });

  it('says what a changed text adds and removes, with the flags of each', async () => {
    await using test = await stage();
    await test.post(test.alice, 'storm 1', 'storm and hail', 'hail 1', 'calm', 'hail 2');
    const ask = async (x: string) =>
      (
        await test.call(test.alice, 'previewRule', {
          platforms: ['x'],
          overrides: { x: 'hail' },
          instead_of: { overrides: { x } },
          limit: 1,
        })
      ).platforms.x?.difference;
    const difference = await ask('storm');
    expect(difference).toMatchObject({
      added: { matched: 2, rate_per_day: null, matches: [{ platform_post_id: '5' }] },
      removed: { matched: 1, rate_per_day: null, matches: [{ platform_post_id: '1' }] },
    });
    expect(difference?.removed.matches[0]?.highlights).toEqual([{ field: 'data.text', start: 0, end: 5 }]);
    expect(await ask('storm AND')).toBeNull();
  });

  it('says what recent events a rule would have matched, and creates nothing', async () => {
    await using test = await stage();
    await test.post(test.alice, 'storm 1', 'calm', 'storm 2', 'storm 3');
    const answer = await test.call(test.alice, 'previewRule', {
      platforms: ['x', 'firehose'],
      overrides: { x: 'storm', firehose: 'storm' },
      limit: 2,
    });
    expect(answer.platforms.x).toMatchObject({
      events: 4,
      matched: 3,
      basis: 'too_short',
      rate_per_day: null,
    });
    expect(answer.platforms.x?.matches.map(({ platform_post_id }) => platform_post_id)).toEqual(['4', '3']);
    expect(answer.platforms.x?.matches[0]).toMatchObject({
      payload: { data: { text: 'storm 3' } },
      highlights: [{ field: 'data.text', start: 0, end: 5 }],
    });
    expect(answer.platforms.x!.histogram!.reduce((sum, { matched }) => sum + matched, 0)).toBe(
      answer.platforms.x!.matched,
    );
    expect(answer.platforms.firehose).toEqual({
      events: 0,
      matched: 0,
      from: null,
      to: null,
      basis: 'too_short',
      rate_per_day: null,
      rate_range: null,
      estimate: 'no rate: there are no recent events',
      matches: [],
    });
    expect((await test.call(test.alice, 'listRules')).rules).toEqual([]);
  });

  it('estimates a day from ten minutes of real events, and from nothing less', async () => {
    const clock = fakeClock();
    await using test = await openService({ clock });
    const alice = await test.caller('alice');
    const { ingest } = test.service.context;
    const posts = (...texts: string[]) => texts.map((text, at) => ({ data: { id: `${clock.elapsed()}${at}`, text } }));
    const add = async (source: string, ...texts: string[]) => {
      const adding = ingest.add('x', posts(...texts), source);
      await clock.pass(1_000);
      await adding;
    };
    const estimate = async () => {
      const { platforms } = await test.call(alice, 'previewRule', { platforms: ['x'], overrides: { x: 'storm' } });
      const { events, matched, basis, rate_per_day, demo_events, matches } = platforms.x!;
      return { events, matched, basis, rate_per_day, demo_events, demos: matches.map(({ demo }) => demo) };
    };
    const none = { rate_per_day: null, demo_events: undefined, demos: [] };
    expect(await estimate()).toEqual({ events: 0, matched: 0, basis: 'too_short', ...none });
    await add('demo', 'storm', 'calm');
    await clock.pass(20 * 60_000);
    await add('demo', 'storm');
    const demo = { rate_per_day: null, demo_events: 3, demos: [true, true] };
    expect(await estimate()).toEqual({ events: 3, matched: 2, basis: 'demo', ...demo });
    await add('push', 'storm');
    expect(await estimate()).toMatchObject({ events: 4, matched: 3, basis: 'demo', rate_per_day: null });
    await add('push', 'calm', 'calm');
    expect(await estimate()).toMatchObject({ events: 6, matched: 3, basis: 'too_short', rate_per_day: null });
    await clock.pass(10 * 60_000);
    await add('push', 'calm');
    // One match of a real event in about ten minutes; the two of the demo count for nothing.
    expect(await estimate()).toMatchObject({ basis: 'whole_stream', rate_per_day: 140 });
    expect((await estimate()).demos).toEqual([undefined, true, true]);
  });

  it('shows an account its own events and what is for everybody', async () => {
    await using test = await stage();
    const [bob, feed] = [await test.caller('bob'), await test.caller('default', { scope: 'ingest' })];
    await test.post(test.alice, 'storm for alice');
    await test.post(bob, 'storm for bob');
    await test.post(feed, 'storm for all');
    const { platforms } = await test.call(bob, 'previewRule', { platforms: ['x'], overrides: { x: 'storm' } });
    expect(platforms.x?.matches.map(({ payload }) => (payload['data'] as { text: string }).text)).toEqual([
      'storm for all',
      'storm for bob',
    ]);
  });

  it('refuses what Create Rule refuses', async () => {
    await using test = await stage();
    for (const overrides of [{}, { x: '(' }, { x: 'storm', firehose: 'storm' }]) {
      const wrong = test.call(test.alice, 'previewRule', { platforms: ['x'], overrides });
      await expect(wrong).rejects.toMatchObject({ code: 'invalid_argument' });
    }
  });
});

describe('platform syntax', () => {
  it('explains all platforms, or those asked for', async () => {
    await using test = await stage();
    const all = await test.call(test.alice, 'platformSyntax', {});
    expect(Object.keys(all.platforms)).toEqual(['x', 'firehose']);
    expect(all.platforms.x).toMatchObject({ platform: 'x', rule_type: 'premium' });
    expect(Object.keys((await test.call(test.alice, 'platformSyntax', { platforms: ['firehose'] })).platforms)).toEqual(
      ['firehose'],
    );
    for (const platforms of [[], ['tiktok'], 'x']) {
      await expect(test.call(test.alice, 'platformSyntax', { platforms })).rejects.toMatchObject({
        code: 'invalid_argument',
      });
    }
  });

  it('teaches rules that it accepts', async () => {
    await using test = await stage();
    const { platforms } = await test.call(test.alice, 'platformSyntax', {});
    for (const help of Object.values(platforms)) {
      for (const { rule } of help.examples) {
        expect(await test.call(test.alice, 'validateRule', { platform: help.platform, value: rule })).toMatchObject({
          valid: true,
        });
      }
    }
  });
});

describe('platform values', () => {
  it('lists what an operator takes, as far as is asked for', async () => {
    await using test = await stage();
    const found = await test.call(test.alice, 'platformValues', {
      platform: 'firehose',
      operator: 'page_category:',
      prefix: 'tech',
      limit: 1,
    });
    expect(found.values).toHaveLength(1);
    expect(found.total).toBeGreaterThan(1);
    const countries = await test.call(test.alice, 'platformValues', {
      platform: 'x',
      operator: 'place_country',
      prefix: 'ice',
    });
    expect(countries).toEqual({ values: [{ value: 'IS', name: 'Iceland' }], total: 1 });
  });

  it('names the operators that have a list where one has none', async () => {
    await using test = await stage();
    const wrong = test.call(test.alice, 'platformValues', { platform: 'x', operator: 'from' });
    await expect(wrong).rejects.toMatchObject({
      code: 'invalid_argument',
      details: { issues: [{ path: 'operator', message: expect.stringContaining('lang, place_country') }] },
    });
  });
});

describe('platform syntax', () => {
  it('has a short form', async () => {
    await using test = await stage();
    const { platforms, short } = await test.call(test.alice, 'platformSyntax', { form: 'short' });
    expect(platforms).toEqual({});
    expect(short!.firehose).toContain('quality');
  });
});

describe('translate rule', () => {
  it('says the same in the other language, clause by clause', async () => {
    await using test = await stage();
    const answer = await test.call(test.alice, 'translateRule', { platform: 'x', value: 'storm from:skywatch' });
    expect(answer.platform).toBe('firehose');
    expect(answer.exact).toBe(false);
    expect(answer.clauses.map(({ clause, verdict }) => [clause, verdict])).toContainEqual([
      'from:skywatch',
      'impossible',
    ]);
  });

  it('says what was measured, on recent events too', async () => {
    await using test = await stage();
    const { measured, verdict } = await test.call(test.alice, 'translateRule', { platform: 'x', value: 'storm' });
    expect(verdict).toBe('narrower');
    expect(measured!.misses).toContain('possessives');
    expect(measured!.samples.extra).toBe(0);
    expect(measured!.summary).toMatch(/possessives/);
  });

  it('refuses a rule that is wrong already', async () => {
    await using test = await stage();
    const wrong = test.call(test.alice, 'translateRule', { platform: 'x', value: '(' });
    await expect(wrong).rejects.toMatchObject({ code: 'invalid_argument', details: { issues: [{ path: 'value' }] } });
  });
});
