/** The dashboard and the alerts, held to the metrics that there are: by name, by type and by label. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { addGauges } from '../../src/app/gauges.ts';
import { createMetrics } from '../../src/app/metrics.ts';
import { addStoreGauges } from '../../src/app/store-gauges.ts';
import { systemClock } from '../../src/base/clock.ts';
import type { Broker } from '../../src/broker/broker.ts';
import { ROLES } from '../../src/domain/role.ts';
import { openService } from '../stages/service.ts';
import { DEPLOY } from './settings.ts';

interface Metric {
  readonly type: string;
  readonly help: string;
  readonly labels: Set<string>;
}

/** Prometheus itself adds these labels to every series. */
const OF_PROMETHEUS = ['instance', 'job', 'le'];
const UP: Metric = { type: 'gauge', help: '', labels: new Set() };

const target = z.object({ expr: z.string().min(1), legendFormat: z.string().min(1) });
const panel = z.object({ type: z.enum(['row', 'timeseries']), title: z.string(), targets: z.array(target).optional() });
const dashboard = z
  .object({ title: z.literal('Sluice'), panels: z.array(panel) })
  .parse(JSON.parse(readFileSync(join(DEPLOY, 'grafana/sluice.json'), 'utf8')));

const alert = z.strictObject({
  alert: z.string().startsWith('Sluice'),
  expr: z.string(),
  for: z.string().optional(),
  labels: z.strictObject({ severity: z.enum(['page', 'warn']) }),
  annotations: z.strictObject({ summary: z.string(), action: z.string() }),
});
const alerts = z
  .strictObject({ groups: z.tuple([z.strictObject({ name: z.string(), rules: z.array(alert) })]) })
  .parse(parse(readFileSync(join(DEPLOY, 'prometheus/alerts.yaml'), 'utf8'))).groups[0].rules;

const panels = dashboard.panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, expr] as const));
const rules = alerts.map(({ alert: name, expr }) => [name, expr] as const);

let metrics: Map<string, Metric>;

beforeAll(async () => {
  metrics = read(await printed());
  metrics.set('up', UP);
});

/** Everything that a process with every role prints, after one of everything has happened. */
async function printed(): Promise<string> {
  const made = createMetrics();
  await using test = await openService();
  const source = { name: 'feed', kind: 'feeds', state: 'live', lag: 1, events: 1, eventsPerMinute: 1 } as const;
  const sources = () => [{ ...source, lastEventAt: undefined, lastError: undefined }];
  const log = { backlog: async () => ({ packs: 0, bytes: 0, room: 1, since: undefined }) };
  const broker = { backlog: async () => ({ waiting: 0, taken: 0, again: 0 }), log } as unknown as Broker;
  addGauges(made, { ...test.service.context, sources } as never);
  addStoreGauges(made, { store: test.store, broker, roles: ROLES, clock: systemClock });
  made.request('/matches', 'POST', 200, 0.01);
  made.commit('x', 1)(true);
  return made.print();
}

function read(text: string): Map<string, Metric> {
  const found = new Map<string, Metric>();
  const helps = new Map([...text.matchAll(/^# HELP (\S+) (.*)$/gm)].map(([, name, help]) => [name!, help!]));
  for (const line of text.split('\n')) {
    const [, name, type] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? [];
    if (name !== undefined) found.set(name, { type: type!, help: helps.get(name) ?? '', labels: new Set() });
    const [, series, labels = ''] = /^([a-z_0-9]+)(?:\{(.*)\})? /.exec(line) ?? [];
    const metric = series === undefined ? undefined : metricOf(found, series);
    for (const [, label] of labels.matchAll(/([a-z_]+)="/g)) metric?.labels.add(label!);
  }
  return found;
}

/** A histogram is read by its parts. */
function metricOf(all: ReadonlyMap<string, Metric>, series: string): Metric | undefined {
  const whole = all.get(series.replace(/_(bucket|sum|count)$/, ''));
  return whole?.type === 'histogram' ? whole : all.get(series);
}

interface Use {
  readonly name: string;
  readonly labels: readonly string[];
  /** Whether a span of time follows, as `rate` needs it. */
  readonly isRange: boolean;
}

const usesIn = (expr: string): Use[] =>
  [...expr.matchAll(/\b(up|(?:sluice|nodejs|process)_[a-z0-9_]+)(?:\{([^}]*)\})?(\[)?/g)].map(
    ([, name, selector = '', range]) => ({
      name: name!,
      labels: [...selector.matchAll(/([a-z_]+)\s*(?:=~|!=|!~|=)/g)].map(([, label]) => label!),
      isRange: range !== undefined,
    }),
  );

function expectSound(expr: string): void {
  const uses = usesIn(expr);
  expect(uses).not.toEqual([]);
  const known = new Set(OF_PROMETHEUS);
  for (const { name, labels, isRange } of uses) {
    const metric = metricOf(metrics, name);
    expect(metric, name).toBeDefined();
    for (const label of labels) expect([...metric!.labels, ...OF_PROMETHEUS], `${name}{${label}}`).toContain(label);
    for (const label of metric!.labels) known.add(label);
    // A metric that only grows says something by its rise alone, and one that rises and falls has no rate.
    const grows = metric!.type !== 'gauge';
    expect(expr.startsWith('predict_linear') ? grows : isRange, `${name} is a ${metric!.type}`).toBe(grows);
  }
  for (const [, list] of expr.matchAll(/\bby \(([^)]*)\)/g)) {
    for (const label of list!.split(',')) expect([...known]).toContain(label.trim());
  }
}

describe('the dashboard', () => {
  it.each(panels)('asks for what there is: %s: %s', (_, expr) => expectSound(expr));

  it('shows every metric of ours', () => {
    const shown = new Set(
      panels.flatMap(([, expr]) => usesIn(expr).map(({ name }) => name.replace(/_(bucket|count)$/, ''))),
    );
    const ours = [...metrics.keys()].filter((name) => name.startsWith('sluice_'));
    expect(ours.filter((name) => !shown.has(name))).toEqual([]);
  });
});

describe('the alerts', () => {
  it.each(rules)('%s asks for what there is', (_, expr) => expectSound(expr));

  it('cover what an operator must hear of first', () => {
    const watched = new Set(rules.flatMap(([, expr]) => usesIn(expr).map(({ name }) => name)));
    for (const name of [
      'up',
      'sluice_not_ready',
      'sluice_owed_oldest_seconds',
      'sluice_delivery_attempts_total',
      'sluice_store_lock_wait_seconds_total',
      'sluice_store_connections',
      'sluice_broker_packs',
      'sluice_streams_behind_seconds',
      'sluice_retention_late_seconds',
      'sluice_database_bytes',
      'nodejs_eventloop_lag_p99_seconds',
    ])
      expect(watched).toContain(name);
  });

  it('are each explained in the documents', () => {
    const page = readFileSync(join(DEPLOY, '../docs/running.md'), 'utf8');
    for (const [name] of rules) expect(page).toContain(`\`${name}\``);
  });
});

describe('a metric', () => {
  it('of ours has its row in docs/metrics.md', () => {
    const page = readFileSync(join(DEPLOY, '../docs/metrics.md'), 'utf8');
    for (const [name, { type, labels, help }] of metrics) {
      if (!name.startsWith('sluice_')) continue;
      const shown = [...labels].filter((label) => label !== 'le').map((label) => `\`${label}\``);
      expect(page).toContain(`| \`${name}\` | ${type} | ${shown.join(', ')} | ${help} |`);
    }
  });

  it('that only grows says so by its name and its type', () => {
    for (const [name, { type }] of metrics) {
      if (!name.startsWith('sluice_')) continue;
      expect([name, type === 'counter']).toEqual([name, name.endsWith('_total')]);
    }
  });
});
