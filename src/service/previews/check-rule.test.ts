import { describe, expect, it } from 'vitest';
import { openService } from '../../../test/stages/service.ts';
import { upstreamStage } from '../../../test/stages/upstream-stage.ts';
import { type CheckRequest, checkRule } from './check-rule.ts';

async function stage() {
  const test = await openService();
  const alice = await test.caller('alice');
  const check = (change: Partial<CheckRequest>) =>
    checkRule.run(test.service.context, {
      caller: alice,
      request: { overrides: {}, limit: 2, translate: false, ...change },
    });
  return Object.assign(test, { alice, check });
}

describe('a rule that is checked before it is created', () => {
  it('is looked at on each platform that has a text, and creates nothing', async () => {
    await using test = await stage();
    await test.post(test.alice, 'a storm', 'storm again', 'storm once more', 'calm');
    expect(await test.check({})).toEqual({});
    const { x, firehose } = await test.check({ overrides: { x: ' storm ' } });
    expect(firehose).toBeUndefined();
    expect(x).toMatchObject({
      verdict: { valid: true, canonical: 'storm' },
      preview: { events: 4, matched: 3 },
      dollarsPerMatch: 0,
      intentNotes: [],
    });
    expect(x!.preview!.matches).toHaveLength(2);
    expect(x).not.toHaveProperty('translation');
    expect(x).not.toHaveProperty('nearMisses');
    expect((await test.call(test.alice, 'listRules')).rules).toEqual([]);
  });

  it('that is not valid has its verdict alone', async () => {
    await using test = await stage();
    const { x, firehose } = await test.check({ overrides: { x: '(storm', firehose: 'title:storm' }, intent: 'whales' });
    expect(x).toStrictEqual({ verdict: expect.objectContaining({ valid: false }), intentNotes: [] });
    expect(firehose!.verdict.valid).toBe(true);
  });

  it('is translated where that is asked for', async () => {
    await using test = await stage();
    const { x, firehose } = await test.check({ overrides: { x: 'storm', firehose: 'title:storm' }, translate: true });
    expect([x!.translation?.platform, firehose!.translation?.platform]).toEqual(['firehose', 'x']);
  });

  it('has its near misses where events were tried and none matched, and not where there were none', async () => {
    await using test = await stage();
    expect((await test.check({ overrides: { x: 'storm rain' } })).x).not.toHaveProperty('nearMisses');
    await test.post(test.alice, 'a storm');
    const { x } = await test.check({ overrides: { x: 'storm rain' } });
    expect(x!.nearMisses).toMatchObject({ matched: 0, clauses: [{ missed: 0 }, { missed: 1, samples: [] }] });
  });

  it('heeds the flags of firehose', async () => {
    await using test = await stage();
    const page = { id: '1', url: 'https://a.example/', title: 'storm', page_category: ['/Adult'] };
    await test.call(test.alice, 'pushEvents', { platform: 'firehose', lines: JSON.stringify(page) });
    const matched = async (nsfw: boolean) => {
      const asked = { overrides: { firehose: 'title:storm' }, options: { firehose: { nsfw } } };
      return (await test.check(asked)).firehose!.preview!.matched;
    };
    expect([await matched(true), await matched(false)]).toEqual([1, 0]);
  });

  it('is told what of the intent it says nothing of', async () => {
    await using test = await stage();
    const intent = 'Tell me about Moby Dick.';
    expect((await test.check({ overrides: { x: 'storm' }, intent })).x!.intentNotes.length).toBeGreaterThan(0);
  });

  it('costs the list price of a match at an upstream', async () => {
    const { test, caller } = await upstreamStage();
    const request = { overrides: { x: 'storm', firehose: 'title:storm' }, limit: 1, translate: false };
    const { x, firehose } = await checkRule.run(test.service.context, { caller, request });
    expect([x!.dollarsPerMatch, firehose!.dollarsPerMatch]).toEqual([0.005, 0]);
  });
});
