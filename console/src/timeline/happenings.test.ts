import { describe, expect, it } from 'vitest';
import type { Change, Status, WebhookStats } from '../data/queries.ts';
import { type Known, lanesOf, rulesWithoutLane, standingOut, verdictOf } from './happenings.ts';

const NOW = Date.parse('2026-11-15T08:00:00Z');
const HOUR = 3_600_000;
const ago = (hours: number): string => new Date(NOW - hours * HOUR).toISOString();
const NIGHT = { from: NOW - 10 * HOUR, to: NOW };

type Gap = NonNullable<Status['platforms']['x']>['gaps'][number];

const platform = (gaps: readonly Omit<Gap, 'platform'>[], through = ago(0)) => ({
  shape: 'local' as const,
  state: 'ready' as const,
  rule_type: 'premium' as const,
  rules: 1,
  rule_limit: null,
  slow_rules: [],
  sources: [],
  gaps: [...gaps],
  coverage: { complete: true, complete_from: ago(40), complete_through: through, reasons: [] },
  complete_through: through,
  lag_seconds: 0,
});

const known = (gaps: readonly Omit<Gap, 'platform'>[] = [], more: Partial<Known> = {}): Known => ({
  status: {
    version: '1',
    ready: true,
    account: { id: 'a', name: 'a', plan: 'paid' },
    key: { id: 'k', name: 'k', scope: 'full' },
    limits: [],
    retention_days: 30,
    alerts: { open: 0 },
    platforms: { x: platform(gaps), firehose: platform([]) },
  },
  sources: [],
  names: new Map([['rule_1', 'Storms']]),
  alerts: [],
  changes: [],
  silences: [],
  deliveries: [],
  now: NOW,
  ...more,
});

const by = { kind: 'key' as const, key_name: 'cron' };

describe('what happened', () => {
  it('is complete only where Sluice listened all the time', () => {
    const whole = known();
    expect(verdictOf(whole, lanesOf(whole, NIGHT), NIGHT, 0)).toBe('Nothing matched. Sluice listened all the time.');
    const late = { ...whole, status: { ...whole.status, platforms: { x: platform([], ago(3)) } } };
    expect(verdictOf(late, lanesOf(late, NIGHT), NIGHT, 2)).toMatch(/^2 matches came\. Sluice did not hear/);
    const gap = { from: ago(5), to: ago(4), cause: 'dropped', recovered: false };
    const lost = known([gap]);
    expect(verdictOf(lost, lanesOf(lost, NIGHT), NIGHT, 0)).toBe(
      'Nothing matched, and more may be missing: X posts: 1 gap, 1 h missing.',
    );
  });

  it('is not called complete before the oldest gap that is listed', () => {
    const gaps = Array.from({ length: 100 }, (_, at) => ({
      from: new Date(NOW - (at + 1) * 60_000).toISOString(),
      to: new Date(NOW - (at + 1) * 60_000 + 1_000).toISOString(),
      cause: 'dropped',
      recovered: true,
    }));
    const cut = known(gaps);
    expect(verdictOf(cut, lanesOf(cut, NIGHT), NIGHT, 0)).toBe(
      'Nothing matched. Whether Sluice listened to X posts all the time is not known: only the newest gaps are on the list.',
    );
    const listed = { from: NOW - 90 * 60_000, to: NOW };
    expect(verdictOf(cut, lanesOf(cut, listed), listed, 0)).toBe('Nothing matched. Sluice listened all the time.');
    const whole = known(gaps.slice(1));
    expect(verdictOf(whole, lanesOf(whole, NIGHT), NIGHT, 0)).toBe('Nothing matched. Sluice listened all the time.');
  });

  it('is told of the rule or the webhook that it happened to, the worst first', () => {
    const changes: Change[] = [{ at: ago(2), by, what: 'rule.changed', id: 'rule_1', after: { name: 'Storms' } }];
    const gap = { from: ago(6), to: ago(5), cause: 'paused', recovered: false, rule_id: 'rule_1' };
    const facts = known([gap], { changes });
    expect(standingOut(lanesOf(facts, NIGHT), NIGHT).map(({ of, words }) => `${of}: ${words}`)).toEqual([
      'Storms: Missing: 1 h. The rule is paused.',
      'Storms: Rule changed: name, by a program (cron).',
    ]);
    // What one rule missed is nothing that the platform missed.
    expect(verdictOf(facts, lanesOf(facts, NIGHT), NIGHT, 0)).toBe('Nothing matched. Sluice listened all the time.');
  });

  it('has silences that are over, too, and attempts side by side as one', () => {
    const silence = { at: ago(8), by, what: 'silence.created', id: 's1', after: { until: ago(1), reason: 'A test.' } };
    const ended = { at: ago(7), by, what: 'silence.deleted', id: 's1' };
    const bucket = (hours: number, delivered: number, failed: number) => ({
      start: ago(hours),
      delivered,
      failed,
      attempts: delivered + failed,
      p50_ms: null,
      p95_ms: null,
    });
    const stats: WebhookStats = {
      bucket_seconds: 3_600,
      buckets: [bucket(5, 0, 2), bucket(4, 0, 1), bucket(3, 4, 0), bucket(2, 0, 0)],
      complete: true,
      counted_from: null,
    };
    const webhook = {
      id: 'wh_1',
      description: 'Archive',
      url: 'https://a.example',
    } as Known['deliveries'][0]['webhook'];
    const rows = lanesOf(known([], { changes: [silence, ended], deliveries: [{ webhook, stats }] }), NIGHT);
    expect(rows.find(({ name }) => name === 'Muted')?.words).toBe('Muted for 1 h: A test.');
    expect(rows.find(({ name }) => name === 'Archive')?.words).toBe(
      '3 attempts to deliver failed. 4 attempts to deliver succeeded.',
    );
  });

  it('is shown of twelve rules, those with the worst first, and the others are counted', () => {
    const created: Change[] = Array.from({ length: 14 }, (_, at) => ({
      at: ago(3),
      by,
      what: 'rule.created',
      id: `rule_${at}`,
    }));
    const names = new Map(created.map(({ id }) => [id, `Rule ${id}`]));
    const gap = { from: ago(6), to: ago(5), cause: 'dropped', recovered: false, rule_id: 'rule_13' };
    const facts = known([gap], { changes: created, names });
    const rules = lanesOf(facts, NIGHT).filter(({ name }) => name.startsWith('Rule '));
    expect(rules).toHaveLength(12);
    expect(rules[0]?.name).toBe('Rule rule_13');
    expect(rulesWithoutLane(facts, NIGHT)).toBe(2);
    expect(rulesWithoutLane(known(), NIGHT)).toBe(0);
  });

  it('tells once of a webhook that fails again and again', () => {
    const bucket = (hours: number, failed: number) => ({
      start: ago(hours),
      delivered: 0,
      failed,
      attempts: failed,
      p50_ms: null,
      p95_ms: null,
    });
    const stats: WebhookStats = {
      bucket_seconds: 3_600,
      buckets: [bucket(8, 2), bucket(7, 0), bucket(6, 3), bucket(5, 0), bucket(4, 1)],
      complete: true,
      counted_from: null,
    };
    const webhook = { id: 'wh_1', description: 'Archive' } as Known['deliveries'][0]['webhook'];
    const facts = known([], { deliveries: [{ webhook, stats }] });
    const rows = lanesOf(facts, NIGHT);
    expect(rows.find(({ name }) => name === 'Archive')?.spans).toHaveLength(3);
    expect(standingOut(rows, NIGHT).map(({ of, from, words }) => [of, from, words])).toEqual([
      ['Archive', Date.parse(ago(8)), '6 attempts to deliver failed.'],
    ]);
  });
});
