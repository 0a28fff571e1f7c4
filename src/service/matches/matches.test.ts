import { describe, expect, it, vi } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { openService } from '../../../test/stages/service.ts';

const storm = {
  name: 'Storms',
  intent: '',
  platforms: ['x', 'firehose'],
  overrides: { x: 'storm', firehose: 'storm' },
};

async function stage() {
  const clock = fakeClock();
  const test = await openService({ clock });
  const alice = await test.caller('alice');
  const { rule_id } = await test.call(alice, 'createRule', storm);
  /** Posts one after another, a second apart. */
  const postEach = async (...texts: string[]) => {
    for (const text of texts) {
      const pushed = test.post(alice, text);
      await clock.pass(1_000);
      await pushed;
    }
  };
  const ids = (input: object = {}) =>
    test.call(alice, 'listMatches', input).then(({ matches }) => matches.map((match) => match.platform_post_id));
  return Object.assign(test, { clock, alice, rule_id, postEach, ids });
}

describe('list matches', () => {
  it('says in plain English what a limit must be', async () => {
    await using test = await stage();
    await expect(test.call(test.alice, 'listMatches', { limit: 1.5 })).rejects.toThrow(/must be a whole number\.$/);
    await expect(test.call(test.alice, 'listMatches', { limit: 1e20 })).rejects.toMatchObject({
      details: { issues: [{ path: 'limit', message: '`limit`: It must be at most 1000.' }] },
    });
  });

  it('ends a page by its bytes as well as by its count, and leads on', async () => {
    await using test = await openService();
    const alice = await test.caller('alice');
    await test.call(alice, 'createRule', { name: 'S', intent: '', platforms: ['x'], overrides: { x: 'storm' } });
    for (let id = 1; id <= 6; id++) {
      const line = JSON.stringify({ data: { id: String(id), text: `storm ${'x'.repeat(1_000_000)}` } });
      await test.call(alice, 'pushEvents', { platform: 'x', lines: line });
    }
    const first = await test.call(alice, 'listMatches', { limit: 1_000 });
    expect(first.matches.map(({ platform_post_id }) => platform_post_id)).toEqual(['6', '5', '4', '3', '2']);
    const second = await test.call(alice, 'listMatches', { limit: 1_000, cursor: first.next_cursor });
    expect(second.matches.map(({ platform_post_id }) => platform_post_id)).toEqual(['1']);
    expect(second.next_cursor).toBeUndefined();
  });

  it('leaves to a compute thread a page that has few matches and many bytes', async () => {
    await using test = await openService();
    const alice = await test.caller('alice');
    await test.call(alice, 'createRule', { name: 'S', intent: '', platforms: ['x'], overrides: { x: 'storm' } });
    const push = (id: string, length: number) =>
      test.call(alice, 'pushEvents', {
        platform: 'x',
        lines: JSON.stringify({ data: { id, text: `storm ${'x'.repeat(length)}` } }),
      });
    const handedOver = vi.spyOn(test.service.context.compute, 'run');
    for (const id of ['1', '2']) await push(id, 200_000);
    expect((await test.call(alice, 'listMatches')).matches).toHaveLength(2);
    expect(handedOver).not.toHaveBeenCalled();
    for (const id of ['3', '4']) await push(id, 200_000);
    expect((await test.call(alice, 'listMatches')).matches).toHaveLength(4);
    expect(handedOver).toHaveBeenCalledTimes(1);
    expect((await test.call(alice, 'listMatches', { limit: 2 })).matches).toHaveLength(2);
    expect(handedOver).toHaveBeenCalledTimes(1);
  });

  it('shows the newest first, fifty of them unless told otherwise', async () => {
    await using test = await stage();
    const texts = Array.from({ length: 60 }, () => 'storm');
    const pushed = test.call(test.alice, 'pushEvents', {
      platform: 'x',
      lines: texts.map((text, at) => JSON.stringify({ data: { id: String(100 + at), text } })).join('\n'),
    });
    await test.clock.pass(1_000);
    await pushed;
    expect(await test.ids()).toHaveLength(50);
    expect(await test.ids({ limit: 1_000 })).toHaveLength(60);
    const { matches } = await test.call(test.alice, 'listMatches', { limit: 1_000 });
    const keys = matches.map(({ created_at, id }) => created_at + id);
    expect(keys).toEqual(keys.toSorted().toReversed());
  });

  it('goes back page by page, and stays stable while new ones arrive', async () => {
    await using test = await stage();
    await test.postEach('storm 1', 'storm 2', 'storm 3', 'storm 4', 'storm 5');
    const first = await test.call(test.alice, 'listMatches', { limit: 2 });
    await test.postEach('storm 6');
    const second = await test.call(test.alice, 'listMatches', { limit: 2, cursor: first.next_cursor });
    const third = await test.call(test.alice, 'listMatches', { limit: 2, cursor: second.next_cursor });
    const seen = [first, second, third].flatMap(({ matches }) => matches.map((match) => match.platform_post_id));
    expect(seen).toEqual(['5', '4', '3', '2', '1']);
    expect(third.next_cursor).toBeUndefined();
    expect([first, second, third].map(({ latest_cursor }) => typeof latest_cursor)).toEqual([
      'string',
      'string',
      'string',
    ]);
  });

  it('narrows by rule, platform, time and text', async () => {
    await using test = await stage();
    await test.postEach('storm in the North', 'storm in the south');
    const middle = test.clock.now().toISOString();
    await test.postEach('storm over');
    expect(await test.ids({ rule_id: test.rule_id, platform: 'x' })).toEqual(['3', '2', '1']);
    expect(await test.ids({ platform: 'firehose' })).toEqual([]);
    expect(await test.ids({ since: middle })).toEqual(['3']);
    expect(await test.ids({ until: middle.replace('Z', '+00:00') })).toEqual(['2', '1']);
    expect(await test.ids({ text: 'NORTH' })).toEqual(['1']);
  });

  it.each([
    ['limit', 0],
    ['limit', 1_001],
    ['limit', 1.5],
    ['limit', '5'],
    ['platform', 'tiktok'],
    ['since', 'yesterday'],
    ['cursor', 'made-up'],
    ['cursor', ''],
    ['text', ''],
    ['colour', 'red'],
  ])('refuses %s = %j', async (field, value) => {
    await using test = await stage();
    const wrong = test.call(test.alice, 'listMatches', { [field]: value });
    await expect(wrong).rejects.toMatchObject({ code: 'invalid_argument', details: { issues: [{ path: field }] } });
  });

  it('refuses a cursor of another account, or of another use', async () => {
    await using test = await stage();
    await test.postEach('storm', 'storm');
    const { next_cursor, latest_cursor } = await test.call(test.alice, 'listMatches', { limit: 1 });
    const bob = await test.caller('bob');
    for (const [caller, cursor] of [
      [bob, next_cursor],
      [test.alice, latest_cursor],
    ] as const) {
      await expect(test.call(caller, 'listMatches', { cursor })).rejects.toMatchObject({ code: 'invalid_argument' });
    }
  });
});

describe('match counts', () => {
  it('fills every interval, also those without a match', async () => {
    await using test = await stage();
    await test.postEach('storm', 'storm');
    await test.clock.pass(2 * 60_000);
    await test.postEach('storm');
    const answer = await test.call(test.alice, 'matchCounts', {
      rule_id: test.rule_id,
      interval: 'minute',
      from: '2026-11-15T08:29:30Z',
      to: '2026-11-15T08:33:00Z',
    });
    expect(answer.counts).toEqual([
      { at: '2026-11-15T08:29:00.000Z', count: 0 },
      { at: '2026-11-15T08:30:00.000Z', count: 2 },
      { at: '2026-11-15T08:31:00.000Z', count: 0 },
      { at: '2026-11-15T08:32:00.000Z', count: 1 },
    ]);
    const rules = await test.call(test.alice, 'listRules');
    const ids = [rules.rules[0]!.id, 'rule_of_nobody'];
    const each = await test.call(test.alice, 'matchCounts', { rule_ids: ids });
    expect(each.by_rule![ids[0]!]!.at(-1)).toBe(each.counts.at(-1)!.count);
    expect(each.by_rule![ids[1]!]).toEqual(Array.from({ length: 24 }, () => 0));
    const day = await test.call(test.alice, 'matchCounts', {});
    expect([day.interval, day.counts.length, day.counts.at(-1)?.count]).toEqual(['hour', 24, 3]);
  });

  it.each([
    { from: '2026-11-15T09:00:00Z', to: '2026-11-15T08:00:00Z' },
    { from: '2020-01-01T00:00:00Z', interval: 'minute' },
    { interval: 'week' },
  ])('refuses %j', async (input) => {
    await using test = await stage();
    await expect(test.call(test.alice, 'matchCounts', input)).rejects.toMatchObject({ code: 'invalid_argument' });
  });
});

describe('delete matches', () => {
  it('erases a post for its account alone, and what preview would see of it', async () => {
    await using test = await stage();
    await test.postEach('storm one', 'storm two');
    const gone = { platform: 'x', platform_post_id: '1' };
    expect(await test.call(await test.caller('bob'), 'deleteMatches', gone)).toMatchObject({ deleted: 0 });
    expect(await test.call(test.alice, 'deleteMatches', gone)).toMatchObject({ deleted: 1 });
    expect(await test.ids()).toEqual(['2']);
    const preview = await test.call(test.alice, 'previewRule', { platforms: ['x'], overrides: { x: 'storm' } });
    expect(preview.platforms.x).toMatchObject({ matched: 1 });
    const again = JSON.stringify({ data: { id: '1', text: 'storm one' } });
    const pushing = test.call(test.alice, 'pushEvents', { platform: 'x', lines: again });
    await test.clock.pass(1_000);
    expect(await pushing).toMatchObject({ accepted: 1, matches: 0 });
    expect(await test.ids()).toEqual(['2']);
  });

  it('erases a post for all accounts, by the operator alone', async () => {
    await using test = await stage();
    await test.postEach('storm one', 'storm two');
    const gone = { platform: 'x', platform_post_id: '1', all_accounts: true };
    await expect(test.call(test.alice, 'deleteMatches', gone)).rejects.toMatchObject({ code: 'permission_denied' });
    expect(await test.ids()).toEqual(['2', '1']);
    expect(await test.call(await test.caller('default'), 'deleteMatches', gone)).toMatchObject({ deleted: 1 });
    expect(await test.ids()).toEqual(['2']);
  });
});

describe('explain match', () => {
  it('says of every part whether it holds, and where', async () => {
    await using test = await stage();
    const { rule_id } = await test.call(test.alice, 'createRule', {
      ...storm,
      platforms: ['x'],
      overrides: { x: 'storm -rain (north OR south)' },
    });
    await test.postEach('Storm in the north');
    const { matches } = await test.call(test.alice, 'listMatches', { rule_id });
    const explained = await test.call(test.alice, 'explainMatch', { match_id: matches[0]?.id });
    expect(explained).toMatchObject({
      rule_id,
      platform: 'x',
      rule_version: 1,
      explained_version: 1,
      value: 'storm -rain (north OR south)',
    });
    expect(explained.explanation.holds).toBe(true);
    const parts = explained.explanation.of.flatMap((part) => [part, ...part.of]);
    expect(parts.map(({ label, holds }) => [label, holds])).toEqual(
      expect.arrayContaining([
        ['text has "storm"', true],
        ['text has "rain"', false],
        ['text has "north"', true],
        ['text has "south"', false],
      ]),
    );
    await test.call(test.alice, 'updateRule', { rule_id, overrides: { x: 'calm' } });
    const later = await test.call(test.alice, 'explainMatch', { match_id: matches[0]?.id });
    expect(later).toMatchObject({ rule_version: 1, explained_version: 2, explanation: { holds: false } });
  });
});
