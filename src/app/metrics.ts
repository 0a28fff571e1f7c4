/** What Prometheus reads at `/metrics`. Events are counted in plain numbers, which are handed over when somebody looks. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { PLATFORMS, type Platform } from '../domain/platform.ts';
import type { HttpMetrics } from '../http/app.ts';
import type { Metrics } from '../service/context.ts';

export interface AppMetrics extends Metrics, HttpMetrics {
  /** A figure of each platform that is read when it is asked for. */
  gauge(name: string, help: string, read: (platform: Platform) => number): void;
  /** The same for every one of some things that have names. */
  each(name: string, help: string, label: string, read: () => Readonly<Record<string, number>>): void;
  /** The same for a figure that no platform has of its own. */
  total(name: string, help: string, read: () => number): void;
}

const COMMIT_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1];
const REQUEST_BUCKETS = [...COMMIT_BUCKETS, 5];

export function createMetrics(): AppMetrics {
  const registry = new Registry();
  // Event-loop delay, memory, CPU and garbage collection, under their usual names.
  collectDefaultMetrics({ register: registry });
  const events = tally(registry, 'sluice_events_total', 'Events matched.');
  const matches = tally(registry, 'sluice_matches_total', 'Matches found.');
  const evaluated = tally(registry, 'sluice_rules_evaluated_total', 'Rules evaluated on events.');
  const rejected = tally(registry, 'sluice_events_rejected_total', 'Events that could not be read.');
  const failures = tally(registry, 'sluice_rule_failures_total', 'Rules that failed on an event.');
  const rows = tally(registry, 'sluice_committed_rows_total', 'Rows handed to commits.');
  tally(registry, 'sluice_gaps_total', 'Spans of time in which completeness cannot be shown.');
  const commits = histogram(registry, 'sluice_commit_seconds', 'Time of a commit.', ['platform', 'ok'], COMMIT_BUCKETS);
  const requests = histogram(
    registry,
    'sluice_request_seconds',
    'Time of a request.',
    ['route', 'method', 'status'],
    REQUEST_BUCKETS,
  );
  // Finding the series by its labels costs more than counting in it.
  const byRoute = new Map<string, ReturnType<typeof requests.labels>>();

  return {
    event(platform, rules, found) {
      events[platform]++;
      evaluated[platform] += rules;
      matches[platform] += found;
    },
    rejected: (platform) => void rejected[platform]++,
    ruleFailed: (platform) => void failures[platform]++,
    commit(platform, count) {
      const started = performance.now();
      return (ok) => {
        commits.observe({ platform, ok: String(ok) }, (performance.now() - started) / 1000);
        if (ok) rows[platform] += count;
      };
    },
    request(route, method, status, seconds) {
      const name = `${method} ${status} ${route}`;
      const series = byRoute.get(name) ?? requests.labels({ route, method, status });
      byRoute.set(name, series);
      series.observe(seconds);
    },
    gauge(name, help, read) {
      const gauge = new Gauge({
        name,
        help,
        labelNames: ['platform'],
        registers: [registry],
        collect: () => {
          for (const platform of PLATFORMS) gauge.set({ platform }, read(platform));
        },
      });
    },
    each(name, help, label, read) {
      const gauge = new Gauge({
        name,
        help,
        labelNames: [label],
        registers: [registry],
        collect: () => {
          gauge.reset();
          for (const [one, value] of Object.entries(read())) gauge.set({ [label]: one }, value);
        },
      });
    },
    total(name, help, read) {
      const gauge = new Gauge({
        name,
        help,
        registers: [registry],
        collect: () => {
          gauge.set(read());
        },
      });
    },
    contentType: registry.contentType,
    print: () => registry.metrics(),
  };
}

/** A counter of each platform, as plain numbers to add to. */
function tally(registry: Registry, name: string, help: string): Record<Platform, number> {
  const counts: Record<Platform, number> = { x: 0, firehose: 0 };
  const counter = new Counter({
    name,
    help,
    labelNames: ['platform'],
    registers: [registry],
    collect: () => {
      counter.reset();
      for (const platform of PLATFORMS) counter.inc({ platform }, counts[platform]);
    },
  });
  return counts;
}

const histogram = (registry: Registry, name: string, help: string, labelNames: string[], buckets: number[]) =>
  new Histogram({ name, help, labelNames, buckets, registers: [registry] });
