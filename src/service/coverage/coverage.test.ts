import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import type { FeedState, Gap } from '../../domain/coverage.ts';
import type { Store } from '../../store/store.ts';
import { gapReason, sourceReason, streamReason } from './assess.ts';
import { createCoverage, feedsOf } from './coverage.ts';
import { createFeedReports, type FeedNow } from './feed-reports.ts';
import { beginGap, endGap } from './lasting-gaps.ts';

const START = Date.parse('2026-11-15T08:30:00.000Z');
const at = (seconds: number) => new Date(START + seconds * 1_000);

const source = (change: Partial<FeedState> = {}): FeedState => ({
  platform: 'x',
  kind: 'source',
  name: 'bluesky',
  since: at(-600),
  state: 'live',
  reason: undefined,
  through: at(0),
  at: at(0),
  ...change,
});

interface Staged {
  readonly stored?: Partial<Record<'x' | 'firehose', readonly FeedState[]>>;
  readonly own?: readonly FeedNow[];
  readonly gaps?: readonly Gap[];
  readonly shape?: 'local' | 'upstream';
  readonly resting?: boolean;
  readonly counted?: object;
}

function stage({ stored = {}, own = [], gaps = [], shape = 'local', resting = false, counted = {} }: Staged = {}) {
  const clock = fakeClock();
  const asked: object[] = [];
  const askedOwn: unknown[] = [];
  const deps = {
    clock,
    store: {
      feeds: async (platform: 'x' | 'firehose') => stored[platform] ?? [],
      gaps: async (query: object) => {
        asked.push(query);
        return gaps;
      },
      ownFeed: async (...question: unknown[]) => {
        askedOwn.push(question);
        return undefined;
      },
      coverage: async () => at(-5),
      countRules: async () => counted,
    } as unknown as Store,
    feeds: { own: (platform: string) => own.filter((feed) => feed.platform === platform) },
    platforms: { x: { shape }, firehose: { shape } },
    hasRules: () => true,
    isResting: () => resting,
    troubles: () => [],
  } as const;
  return { clock, asked, askedOwn, deps, coverage: createCoverage(deps) };
}

describe('coverage', () => {
  it('of several platforms is what holds for each of them', async () => {
    const { coverage } = stage({
      stored: {
        x: [source()],
        firehose: [source({ platform: 'firehose', since: at(-60), through: at(-9), state: 'silent' })],
      },
    });
    expect(await coverage.of({ accountId: 'a', platforms: ['x'] })).toMatchObject({
      complete: true,
      from: at(-600),
      through: at(0),
      reasons: [],
    });
    const both = await coverage.of({ accountId: 'a', platforms: ['x', 'firehose'] });
    expect(both).toMatchObject({
      complete: false,
      from: at(-600),
      through: at(-9),
      reasons: ['source_silent:bluesky'],
      platforms: { x: { complete: true }, firehose: { complete: false, from: at(-60) } },
    });
    const twice = await stage().coverage.of({ accountId: 'a', platforms: ['x', 'firehose'] });
    expect([twice.reasons, twice.from, twice.through]).toEqual([['no_feed'], undefined, undefined]);
  });

  it('asks for the gaps of the account, the rule and the span', async () => {
    const { coverage, asked } = stage({ stored: { x: [source()] } });
    const rule = { id: 'r', createdAt: at(-60), paused: false, platforms: {} };
    await coverage.of({ platforms: ['x'] });
    await coverage.of({ accountId: 'a', rule, platforms: ['x'], since: at(-9), until: at(-1) });
    await coverage.of({ platforms: ['x'], since: at(-9), gapsSince: at(-3) });
    const always = { platform: 'x', limit: 100, isMissing: true };
    expect(asked).toEqual([
      { ...always, ruleId: 'none' },
      { ...always, accountId: 'a', ruleId: 'r', since: at(-9), until: at(-1) },
      { ...always, ruleId: 'none', since: at(-3) },
    ]);
  });

  it('of a rule begins with the rule on that platform, and says what is wrong with it', async () => {
    const { coverage } = stage({ stored: { x: [source()] }, resting: true });
    const rule = (change: object) =>
      ({ id: 'r', createdAt: at(-60), paused: false, platforms: {}, ...change }) as never;
    const of = async (change: object) => coverage.of({ accountId: 'a', platforms: ['x'], rule: rule(change) });
    expect(await of({})).toMatchObject({ from: at(-60), reasons: ['budget_spent'] });
    expect(await of({ platforms: { x: { addedAt: at(-30), status: 'active' } } })).toMatchObject({ from: at(-30) });
    expect((await of({ paused: true })).reasons).toEqual(['paused', 'budget_spent']);
    for (const [status, reason] of [
      ['missing', 'registration_missing'],
      ['failed', 'rule_refused'],
    ])
      expect((await of({ platforms: { x: { status } } })).reasons).toEqual(['budget_spent', reason]);
    expect((await coverage.of({ platforms: ['x'] })).reasons).toEqual([]);
  });

  it('lets the open gap of a rule say why it failed', async () => {
    const gap = { platform: 'x', from: at(-9), to: undefined, cause: 'over_limit', recovered: false, ruleId: 'r' };
    const rule = { id: 'r', createdAt: at(-60), paused: false, platforms: { x: { status: 'failed' } } } as never;
    const of = async (gaps: readonly object[]) =>
      (
        await stage({ stored: { x: [source()] }, gaps: gaps as never }).coverage.of({
          accountId: 'a',
          platforms: ['x'],
          rule,
        })
      ).reasons;
    expect(await of([gap])).toEqual(['over_limit', 'gap']);
    expect(await of([{ ...gap, to: at(-5) }])).toEqual(['rule_refused', 'gap']);
    expect(await of([{ ...gap, ruleId: undefined }])).toContain('rule_refused');
  });

  it('has the sources of the account in it where the platform is local', async () => {
    const { coverage, askedOwn } = stage({ stored: { x: [source()] } });
    await coverage.of({ platforms: ['x'] });
    await coverage.of({ accountId: 'a', platforms: ['x'] });
    expect(askedOwn).toEqual([['a', 'x', at(-600)]]);
    const upstream = stage({ shape: 'upstream' });
    await upstream.coverage.of({ accountId: 'a', platforms: ['x'] });
    expect(upstream.askedOwn).toEqual([]);
  });

  it('of an upstream reaches as far as its stream', async () => {
    const { coverage } = stage({ shape: 'upstream', stored: { x: [source({ kind: 'stream', name: '' })] } });
    expect(await coverage.of({ platforms: ['x'] })).toMatchObject({ through: at(-5), complete: true });
  });

  it('is asked of the platform that is named, else of those of the rule, else of those with rules', async () => {
    const rule = { platforms: { firehose: {} } } as never;
    const { coverage } = stage({ counted: { x: 2, firehose: 0 } });
    expect(await coverage.platformsOf('a', { platform: 'x', rule })).toEqual(['x']);
    expect(await coverage.platformsOf('a', { rule })).toEqual(['firehose']);
    expect(await coverage.platformsOf('a', {})).toEqual(['x']);
    expect(await stage().coverage.platformsOf('a', {})).toEqual(['x', 'firehose']);
  });
});

describe('the feeds of a platform', () => {
  const now = (change: Partial<FeedNow> = {}): FeedNow => {
    const { at: _, since: __, ...rest } = source();
    return { ...rest, ...change };
  };

  it('are those of this node as it knows them, and those of others as they are stored', async () => {
    const other = source({ name: 'mastodon', at: at(-3) });
    const { deps } = stage({
      stored: { x: [source({ through: at(-20), at: at(-4) }), other] },
      own: [now({ state: 'silent', through: at(-10) })],
    });
    expect(await feedsOf(deps, 'x')).toEqual([
      source({ state: 'silent', through: at(-10), since: at(-600), at: at(0) }),
      other,
    ]);
  });

  it('reach as far as the store or this node knows', async () => {
    const { deps } = stage({ stored: { x: [source({ through: at(-2) })] }, own: [now({ through: at(-10) })] });
    expect((await feedsOf(deps, 'x'))[0]!.through).toEqual(at(-2));
  });

  it('that are sources and have brought nothing are read since what they first bring', async () => {
    const first = async (own: FeedNow, before?: FeedState) =>
      (await feedsOf(stage({ stored: { x: before ? [before] : [] }, own: [own] }).deps, 'x'))[0]!.since;
    expect(await first(now({ through: at(-10) }))).toEqual(at(-10));
    expect(await first(now({ through: undefined }))).toEqual(at(0));
    expect(await first(now({ through: at(-10) }), source({ through: undefined }))).toEqual(at(-10));
    expect(await first(now({ kind: 'push', since: at(-7) }))).toEqual(at(-7));
    expect(await first(now({ kind: 'push' }), source({ kind: 'push', through: undefined }))).toEqual(at(-600));
  });
});

describe('the reports of feeds', () => {
  const reportsStage = () => {
    const clock = fakeClock();
    const written: { state: string; at: Date; name: string; kind: string }[][] = [];
    const gaps: unknown[] = [];
    const warned: string[] = [];
    const state = { feeds: [] as object[], fails: false };
    const reports = createFeedReports({
      clock,
      log: { info: () => {}, warn: (_, message) => void warned.push(message), error: () => {} },
      store: {
        feeds: async () => state.feeds,
        noteFeeds: async (list: never[]) => {
          if (state.fails) throw new Error('away');
          written.push(list);
        },
        noteGaps: async (list: readonly Gap[]) => void gaps.push(...list),
      } as unknown as Store,
    });
    const feed = (change: object = {}) => {
      const { at: _, since: __, ...rest } = source();
      return { ...rest, ...change } as FeedNow;
    };
    return { clock, reports, written, gaps, warned, state, feed };
  };

  it('are written at once when a state changes, else every five seconds while a feed runs', async () => {
    const { clock, reports, written, feed } = reportsStage();
    const stopping = new AbortController();
    const running = reports.run(stopping.signal);
    await clock.pass(60_000);
    expect(written).toEqual([]);
    reports.report(feed());
    await clock.pass(1);
    expect(written).toHaveLength(1);
    reports.report(feed({ through: at(99) }));
    await clock.pass(4_998);
    expect(written).toHaveLength(1);
    await clock.pass(1);
    expect(written).toHaveLength(2);
    for (const change of [{ state: 'silent' }, { state: 'silent', reason: 'why' }]) {
      reports.report(feed(change));
      await clock.pass(1);
    }
    expect(written.map(([one]) => one!.state)).toEqual(['live', 'live', 'silent', 'silent']);
    reports.drop('x', 'source', 'bluesky');
    await clock.pass(60_000);
    expect(written).toHaveLength(4);
    stopping.abort();
    await running;
  });

  it('end with a last one, of a feed that this node ran', async () => {
    const { reports, written, feed } = reportsStage();
    await reports.end(feed({ state: 'ended' }));
    expect(written).toEqual([]);
    reports.report(feed());
    await reports.end(feed({ state: 'ended' }));
    expect(written.map(([one]) => one!.state)).toEqual(['ended']);
    expect(reports.own('x')).toEqual([]);
    await reports.flush();
    expect(written).toHaveLength(1);
  });

  it('that cannot be written are said to be so, and written later', async () => {
    const { reports, written, warned, state, feed } = reportsStage();
    state.fails = true;
    reports.report(feed());
    await reports.flush();
    expect([written, warned.length]).toEqual([[], 1]);
    await reports.pushed('x', undefined, at(0));
    expect(warned).toHaveLength(2);
    state.fails = false;
    await reports.flush();
    expect(written).toHaveLength(1);
  });

  it('are of the platform and, of pushes, of all accounts and the one that is asked for', async () => {
    const { reports, feed } = reportsStage();
    reports.report(feed());
    reports.report(feed({ platform: 'firehose', name: 'pages' }));
    await reports.pushed('x', undefined, at(0));
    await reports.pushed('x', 'a', at(0));
    const names = (accountId?: string) => reports.own('x', accountId).map(({ kind, name }) => `${kind} ${name}`);
    expect([names(), names('a'), names('b')]).toEqual([
      ['source bluesky', 'push '],
      ['source bluesky', 'push ', 'push a'],
      ['source bluesky', 'push '],
    ]);
  });

  it('of pushes are written with the first of them, and with the last of the next five seconds', async () => {
    const { clock, reports, written } = reportsStage();
    await reports.pushed('x', 'a', at(-1));
    clock.jump(1_000);
    await reports.pushed('x', 'a', at(1));
    clock.jump(1_000);
    await reports.pushed('x', 'a', at(2));
    await reports.flush();
    expect(written).toHaveLength(1);
    clock.jump(3_000);
    await reports.flush();
    await reports.flush();
    const push = { platform: 'x', kind: 'push', name: 'a', since: at(-1), state: 'live', reason: undefined };
    expect(written).toEqual([[{ ...push, through: at(0), at: at(0) }], [{ ...push, through: at(2), at: at(2) }]]);
  });

  it('note more than an hour without a push as a gap of those whom it reaches', async () => {
    const { reports, gaps, state } = reportsStage();
    const push = (seconds: number, kind = 'push') => ({ kind, through: at(seconds) });
    state.feeds = [push(-3_600), push(-9_999), push(-1, 'source')];
    await reports.pushed('x', 'a', at(0));
    expect(gaps).toEqual([]);
    state.feeds = [push(-3_601)];
    await reports.pushed('x', 'b', at(0));
    await reports.pushed('firehose', undefined, at(0));
    const gap = { from: at(-3_601), to: at(0), cause: 'no_feed', recovered: false };
    expect(gaps).toEqual([
      { platform: 'x', accountId: 'b', ...gap },
      { platform: 'firehose', ...gap },
    ]);
  });
});

describe('a gap that lasts', () => {
  const gap = { platform: 'x', accountId: 'a', ruleId: 'r', cause: 'paused' } as const;
  const stageOf = (...found: object[]) => {
    const noted: unknown[] = [];
    const asked: unknown[] = [];
    const store = {
      gaps: async (query: object) => {
        asked.push(query);
        return found;
      },
      noteGaps: async (list: readonly unknown[]) => void noted.push(...list),
    } as unknown as Store;
    return { store, noted, asked };
  };
  const open = { ...gap, from: at(-9), to: undefined, recovered: false };

  it('begins once, and ends when it has begun', async () => {
    const none = stageOf();
    await beginGap(none.store, gap, at(0));
    await endGap(none.store, gap, at(0));
    expect(none.noted).toEqual([{ ...gap, from: at(0), to: undefined, recovered: false }]);
    const there = stageOf(open);
    await beginGap(there.store, gap, at(0));
    expect(there.noted).toEqual([]);
    await endGap(there.store, gap, at(0));
    expect(there.noted).toEqual([{ ...open, to: at(0) }]);
    expect(there.asked[0]).toMatchObject({ platform: 'x', accountId: 'a', ruleId: 'r', isMissing: true });
  });

  it('is none that ended, has another cause, or is of another rule', async () => {
    const others = stageOf({ ...open, to: at(-1) }, { ...open, cause: 'budget_spent' }, { ...open, ruleId: undefined });
    await beginGap(others.store, gap, at(0));
    expect(others.noted).toHaveLength(1);
    const { ruleId: _, ...ofAccount } = gap;
    await endGap(others.store, ofAccount, at(0));
    expect(others.noted[1]).toMatchObject({ ruleId: undefined, to: at(0) });
  });
});

describe('the reason of a feed', () => {
  const now = at(15);

  it.each([
    [{ state: 'live' }, undefined],
    [{ state: 'silent' }, 'source_silent:bluesky'],
    [{ state: 'blind' }, 'source_blind:bluesky'],
    [{ state: 'connecting' }, 'source_down:bluesky'],
    [{ state: 'toString' }, 'source_down:bluesky'],
    [{ state: 'live', at: at(-1) }, 'source_down:bluesky'],
  ])('that is a source with %j is %s', (change, reason) => {
    expect(sourceReason(source(change as Partial<FeedState>), now)).toBe(reason);
  });

  it.each([
    [undefined, 'stream_down'],
    [{ state: 'live' }, undefined],
    [{ state: 'live', at: at(-1) }, 'stream_down'],
    [{ state: 'down', reason: 'auth' }, 'token_refused'],
    [{ state: 'down', reason: 'quota' }, 'over_limit'],
    [{ state: 'down', reason: 'rate' }, 'over_limit'],
    [{ state: 'down', reason: 'connections' }, 'over_limit'],
    [{ state: 'down', reason: 'forced' }, 'over_limit'],
    [{ state: 'down', reason: 'billing' }, 'over_limit'],
    [{ state: 'down', reason: 'network' }, 'stream_down'],
  ])('that is a stream with %j is %s', (change, reason) => {
    const stream = change && source({ kind: 'stream', ...change });
    expect(streamReason(stream, now)).toBe(reason);
  });

  it('is the cause of a gap where that is a reason', () => {
    expect(['paused', 'source_down:bluesky', 'disconnected', 'toString'].map(gapReason)).toEqual([
      'paused',
      'source_down:bluesky',
      undefined,
      undefined,
    ]);
  });
});
