import { describe, expect, it } from 'vitest';
import { COVERAGE_REASONS } from '../../../src/domain/coverage.ts';
import { WEBHOOK_STATUSES } from '../../../src/domain/webhook.ts';
import { NOT_READY_CODES } from '../../../src/service/readiness.ts';
import type { Rule, Status, Webhook } from '../data/queries.ts';
import { NOT_READY_STATES } from '../words/platform-states.ts';
import { concernsOf, isTrouble } from './attention.ts';

type Platform = NonNullable<Status['platforms']['x']>;

const SINCE = '2026-11-15T12:27:00.000Z';

const platform = (part: Partial<Platform> = {}): Platform => ({
  shape: 'upstream',
  state: 'live',
  rule_type: 'premium',
  rules: 3,
  rule_limit: 25,
  slow_rules: [],
  gaps: [],
  sources: [],
  coverage: { complete: true, complete_from: null, complete_through: null, reasons: [] },
  complete_through: null,
  lag_seconds: null,
  ...part,
});
const because = (...reasons: string[]): Partial<Platform> => ({
  coverage: { complete: false, complete_from: null, complete_through: null, reasons },
});
const status = (x: Platform, part: Partial<Status> = {}): Status => ({
  version: '1',
  ready: true,
  account: { id: 'acct_1', name: 'default', plan: 'paid' },
  key: { id: 'key_1', name: 'first', scope: 'full' },
  limits: [],
  retention_days: 30,
  alerts: { open: 0 },
  platforms: { x },
  ...part,
});
const webhook = (part: Partial<Webhook> = {}): Webhook => ({
  id: 'hook_1',
  url: 'https://example.com/hook',
  has_credential: false,
  description: 'Archive',
  rule_ids: null,
  sources: null,
  platforms: null,
  events: ['match'],
  format: 'json',
  batch: null,
  status: 'active',
  reason: null,
  failing_since: null,
  wake: null,
  wake_account: null,
  created_at: SINCE,
  ...part,
});

describe('what needs attention', () => {
  it('is nothing when all is well', () => {
    expect(concernsOf(status(platform()), [webhook()], [])).toEqual([]);
  });

  it('has a sentence for every reason for which matches may be missing', () => {
    for (const reason of Object.keys(COVERAGE_REASONS)) {
      const found = concernsOf(status(platform(because(reason))));
      const isQuiet = ['paused', 'not_started', 'gap'].includes(reason);
      expect(found.map(isTrouble), reason).toEqual(isQuiet ? [] : [!['demo', 'no_feed'].includes(reason)]);
    }
  });

  it('says since when a token is refused', () => {
    const gap = { from: SINCE, to: null, cause: 'auth', recovered: false };
    const [first] = concernsOf(status(platform({ ...because('token_refused'), gaps: [gap] })));
    expect(first).toMatchObject({ tone: 'bad', since: SINCE, words: 'X posts: X refuses the token.' });
  });

  it('is a stream that is stalled or degraded, and a gap that is open, without another reason too', () => {
    for (const state of ['stalled', 'degraded'] as const)
      expect(concernsOf(status(platform({ state }))), state).toHaveLength(1);
    const gap = { from: SINCE, to: null, cause: 'dropped', recovered: false };
    expect(concernsOf(status(platform({ gaps: [gap] })))).toHaveLength(1);
  });

  it('is what the last day misses, and not what a paused rule does', () => {
    const [from, to] = [new Date(Date.now() - 3_600_000).toISOString(), new Date(Date.now() - 600_000).toISOString()];
    const gap = { from, to, cause: 'dropped', recovered: false };
    const words = 'X posts: 50 min of the last 24 hours are missing. The connection was lost.';
    expect(concernsOf(status(platform({ gaps: [gap] })))).toMatchObject([{ tone: 'warn', words }]);
    expect(concernsOf(status(platform({ gaps: [{ ...gap, rule_id: 'rule_1' }] })))).toEqual([]);
    expect(concernsOf(status(platform({ gaps: [{ ...gap, recovered: true }] })))).toEqual([]);
  });

  it('is one line for the demo, on however many platforms it plays', () => {
    const platforms = { x: platform(because('demo')), firehose: platform(because('demo')) };
    expect(concernsOf(status(platform(), { platforms })).map(({ words }) => words)).toEqual([
      'X posts and Web pages: all events are invented by the demo feed.',
    ]);
  });

  it('has a sentence for every reason for which a server is not ready', () => {
    expect(Object.keys(NOT_READY_STATES).toSorted()).toEqual([...NOT_READY_CODES].toSorted());
    expect(concernsOf(status(platform(), { ready: false }))).toHaveLength(1);
  });

  it('is a webhook that fails, with a button that tries again, and one that was disabled', () => {
    const [failing] = concernsOf(undefined, [webhook({ failing_since: SINCE })]);
    expect(failing).toMatchObject({ since: SINCE, remedy: { kind: 'retry' } });
    const found = WEBHOOK_STATUSES.map((one) => concernsOf(undefined, [webhook({ status: one })])[0]?.tone);
    expect(Object.fromEntries(WEBHOOK_STATUSES.map((one, at) => [one, found[at]]))).toEqual({
      active: undefined,
      paused: 'neutral',
      disabled: 'bad',
    });
  });

  it('is noted, and no trouble, when all rules are paused', () => {
    const rule = (paused: boolean) => ({ id: 'rule_1', name: 'Storms', paused, platforms: {} }) as Rule;
    expect(concernsOf(undefined, [], [rule(true), rule(true)])).toMatchObject([
      { tone: 'neutral', words: 'All 2 rules are paused, so nothing new is found.' },
    ]);
    expect(concernsOf(undefined, [], [rule(true)])).toMatchObject([
      { words: 'Your rule is paused, so nothing new is found.' },
    ]);
    expect(concernsOf(undefined, [], [rule(true), rule(false)])).toEqual([]);
  });

  it('is a webhook whose rules were all deleted', () => {
    const [found] = concernsOf(undefined, [webhook({ rules_gone: true })]);
    expect(found).toMatchObject({
      tone: 'warn',
      words: expect.stringContaining('every rule that it is for was deleted'),
    });
  });

  it('is a budget that is nearly spent, before it is', () => {
    const usage = { month: '2026-11', reads: 1, matches: 1, cost: 45, budget: 50, rules: [] };
    expect(concernsOf(status(platform({ usage })))[0]?.words).toContain('90 %');
    expect(concernsOf(status(platform({ usage: { ...usage, cost: 10 } })))).toEqual([]);
  });
});
