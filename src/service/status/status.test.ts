import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { openService, type TestOptions } from '../../../test/stages/service.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const rule = (name: 'x' | 'firehose', value: string) => ({
  name: value,
  intent: '',
  platforms: [name],
  overrides: { [name]: value },
});

async function stage(options: TestOptions = {}) {
  const clock = fakeClock();
  const test = await openService({ clock, ...options });
  const alice = await test.caller('alice', { xRules: 7 });
  const operator = await test.caller('default');
  const push = async (...texts: string[]) => {
    const pushed = test.post(alice, ...texts);
    await clock.pass(25);
    await pushed;
  };
  return Object.assign(test, { clock, alice, operator, push });
}

describe('status', () => {
  it('says who asks, and what is true of each platform', async () => {
    await using test = await stage();
    await test.call(test.alice, 'createRule', rule('x', 'storm'));
    const answer = await test.call(test.alice, 'status');
    expect(answer).toMatchObject({
      version: '0.0.0',
      ready: true,
      account: { id: test.alice.account.id, name: 'alice', plan: 'paid' },
      key: { id: test.alice.key.id, name: 'test', scope: 'full' },
      retention_days: 30,
      alerts: { open: 0 },
    });
    expect(answer.platforms).toEqual({
      x: {
        shape: 'local',
        state: 'ready',
        rule_type: 'premium',
        rules: 1,
        rule_limit: 7,
        slow_rules: [],
        sources: [],
        gaps: [],
        coverage: { complete: false, complete_from: null, complete_through: null, reasons: ['no_feed'] },
        complete_through: null,
        lag_seconds: null,
      },
      firehose: {
        shape: 'local',
        state: 'ready',
        rule_type: 'regular',
        rules: 0,
        rule_limit: null,
        slow_rules: [],
        sources: [],
        gaps: [],
        coverage: { complete: false, complete_from: null, complete_through: null, reasons: ['no_feed'] },
        complete_through: null,
        lag_seconds: null,
      },
    });
    expect(answer).not.toHaveProperty('instance');
    expect(answer).not.toHaveProperty('sources');
  });

  it('names the sources, how far they came, and how long ago that is', async () => {
    await using test = await stage();
    const { feeds } = test.service.context;
    const through = test.clock.now();
    const source = { platform: 'x', kind: 'source', name: 'bluesky', state: 'live', reason: undefined } as const;
    feeds.report({ ...source, through });
    await feeds.flush();
    test.clock.jump(2_500);
    const { x, firehose } = (await test.call(test.alice, 'status')).platforms;
    expect(x).toMatchObject({
      sources: ['bluesky'],
      complete_through: through.toISOString(),
      lag_seconds: 2.5,
      coverage: { complete: true },
    });
    expect(firehose!.sources).toEqual([]);
    feeds.report({ ...source, through: new Date(test.clock.now().getTime() + MINUTE) });
    expect((await test.call(test.alice, 'status')).platforms.x!.lag_seconds).toBe(0);
    await test.store.noteGaps([
      { platform: 'x', source: 'bluesky', from: through, to: test.clock.now(), cause: 'down', recovered: true },
    ]);
    const { gaps } = (await test.call(test.alice, 'status')).platforms.x!;
    expect(gaps).toMatchObject([{ cause: 'down', recovered: true }]);
    expect(gaps[0]).not.toHaveProperty('platform');
  });

  it('lists twenty slow rules at most', async () => {
    await using test = await stage();
    for (let from = 0; from < 21; from++)
      await test.call(test.alice, 'createRule', rule('firehose', `dr:[${from} TO 100]`));
    const { firehose } = (await test.call(test.alice, 'status')).platforms;
    expect([firehose!.rules, firehose!.slow_rules.length]).toEqual([21, 20]);
    expect(firehose!.slow_rules[0]).toEqual({ rule_id: expect.any(String), reason: expect.any(String) });
  });

  it('tells an agent that is limited to rules of those alone', async () => {
    await using test = await stage();
    const { rule_id } = await test.call(test.alice, 'createRule', rule('firehose', 'dr:[1 TO 9]'));
    await test.call(test.alice, 'createRule', rule('firehose', 'dr:[2 TO 9]'));
    await test.call(test.alice, 'createRule', rule('x', 'storm'));
    const grant = { scopes: ['read' as const], ruleIds: [rule_id], tokenDigest: '' };
    const { x, firehose } = (await test.call({ ...test.alice, grant }, 'status')).platforms;
    expect([x!.rules, firehose!.rules, firehose!.slow_rules.map((one) => one.rule_id)]).toEqual([0, 1, [rule_id]]);
  });

  it('is degraded while the store fails, and loading before the rules are read', async () => {
    await using test = await stage();
    const { context } = test.service;
    const stateOf = async () => {
      const { ready, platforms } = await test.call(test.alice, 'status');
      return [ready, platforms.x!.state, platforms.firehose!.state];
    };
    const { ingest, matching } = context;
    Object.assign(context, { matching: Object.create(matching, { isLoaded: { value: false } }) });
    expect((await stateOf())[1]).toBe('loading');
    Object.assign(context, { ingest: Object.create(ingest, { trouble: { value: 'store_unwritable' } }) });
    expect((await stateOf())[1]).toBe('degraded');
    Object.assign(context, { ingest, matching });
    expect(await stateOf()).toEqual([true, 'ready', 'ready']);
  });
});

describe('the status of an instance', () => {
  it('is for the operator: how long it runs, what passes through, and what waits', async () => {
    await using test = await stage();
    await test.call(test.alice, 'createRule', rule('x', 'storm'));
    await test.push('a storm', 'rain');
    await test.clock.pass(10 * SECOND);
    const { instance, sources } = await test.call(test.operator, 'status');
    expect(sources).toEqual([]);
    expect(instance).toMatchObject({
      started_at: '2026-11-15T08:30:00.000Z',
      not_ready: [],
      queued_events: 0,
      commit_wait_seconds: 0,
      owed: { matches: 0, oldest_at: null },
      retention_late_seconds: 0,
      platforms: {
        x: {
          rules: 1,
          events_per_minute: 2,
          matches_per_minute: 1,
          recent_events: { events: 2, limit: 1_000, bytes: expect.any(Number) },
        },
        firehose: { rules: 0, events_per_minute: 0, recent_events: { events: 0, limit: 1_000, bytes: 0 } },
      },
    });
    expect(instance!.uptime_seconds).toBeCloseTo(10.025, 3);
    expect(instance!.platforms.x!.last_hour.events).toHaveLength(60);
    expect(instance!.platforms.x!.last_hour.events.at(-1)).toBe(2);
    expect(instance!.platforms.x!.last_hour.matches.at(-1)).toBe(1);
    expect(instance!.database_bytes).toBeGreaterThan(0);
  });

  it('counts what active webhooks wait for, and not what waits on purpose', async () => {
    await using test = await stage();
    const since = test.clock.now();
    const owed = (matches: number, change: object = {}) => ({
      matches,
      since,
      status: 'active',
      isBatched: false,
      ...change,
    });
    Object.assign(test.service.context.store, {
      owedBacklog: async (limit: number) => {
        expect(limit).toBe(1_000);
        return [
          owed(99, { status: 'paused' }),
          owed(4),
          owed(98, { isBatched: true }),
          owed(3, { since: new Date(0) }),
        ];
      },
      retentionBacklog: async () => ({ lateMs: 1_500 }),
    });
    const { instance } = await test.call(test.operator, 'status');
    expect(instance).toMatchObject({
      owed: { matches: 7, oldest_at: since.toISOString() },
      retention_late_seconds: 1.5,
    });
  });

  it('lists the open sources with what is known of each', async () => {
    await using test = await stage();
    const known = {
      name: 'bluesky',
      kind: 'jetstream',
      platforms: ['x'],
      state: 'live',
      lag: 0.5,
      eventsPerMinute: 40,
      usualPerMinute: 50,
      pace: 'usual',
      lastGoodAt: test.clock.now(),
      unread: 1,
      errors: 2,
      lastEventAt: test.clock.now(),
      lastError: { at: new Date(0), message: 'It broke.' },
    };
    const unknown = {
      ...known,
      lag: undefined,
      usualPerMinute: undefined,
      lastGoodAt: undefined,
      lastEventAt: undefined,
      lastError: undefined,
    };
    Object.assign(test.service.context, { sources: () => [known, unknown] });
    const now = test.clock.now().toISOString();
    const shared = { name: 'bluesky', kind: 'jetstream', platforms: ['x'], state: 'live', events_per_minute: 40 };
    expect((await test.call(test.operator, 'status')).sources).toEqual([
      {
        ...shared,
        lag_seconds: 0.5,
        usual_events_per_minute: 50,
        pace: 'usual',
        last_good_at: now,
        unread: 1,
        errors: 2,
        last_event_at: now,
        last_error: { at: '1970-01-01T00:00:00.000Z', message: 'It broke.' },
      },
      {
        ...shared,
        lag_seconds: null,
        usual_events_per_minute: null,
        pace: 'usual',
        last_good_at: null,
        unread: 1,
        errors: 2,
        last_event_at: null,
        last_error: null,
      },
    ]);
  });
});
