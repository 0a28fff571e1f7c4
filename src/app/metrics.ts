/** The metrics at `/metrics`, for Prometheus. Events are counted in plain numbers and handed to its library when they are read. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { partOfWork } from '../base/cooperate.ts';
import { PLATFORMS, type Platform } from '../domain/platform.ts';
import { ALERT_KINDS } from '../domain/rule.ts';
import type { HttpMetrics } from '../http/options.ts';
import { STREAM_COUNTERS } from '../platforms/platform.ts';
import { EXPORT_FORMATS } from '../service/matches/export-matches.ts';
import {
  DELIVERY_OUTCOMES,
  type Metrics,
  REHEARSAL_OUTCOMES,
  VERDICT_COUNTERS,
  VISIT_OUTCOMES,
} from '../service/telemetry.ts';

/** A figure for each of some things that have names; one that is not known now is left out. */
export type Figures = Readonly<Record<string, number | undefined>>;

/** Figures that are read when they are asked for. `counts` only grow; the others are as they are now. */
export interface AppMetrics extends Metrics, HttpMetrics {
  /** Events of all platforms that were matched since the start. */
  eventsSoFar(): number;
  /** One for each platform. */
  gauge(name: string, help: string, read: (platform: Platform) => number): void;
  each(name: string, help: string, label: string, read: () => Figures | Promise<Figures>): void;
  counts(name: string, help: string, label: string, read: () => Figures): void;
  total(name: string, help: string, read: () => number | undefined | Promise<number | undefined>): void;
  count(name: string, help: string, read: () => number): void;
  /** For each platform, a count for each of some things that have names. */
  countsOf(name: string, help: string, label: string, read: (platform: Platform) => Figures): void;
  /** With labels of their own. Where reading fails there are none. */
  labelled(name: string, help: string, labels: readonly string[], read: () => Promise<readonly LabelledValue[]>): void;
  /** A figure that is 1, for what its labels say. */
  info(name: string, help: string, labels: Readonly<Record<string, string>>): void;
}

export interface LabelledValue {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const COMMIT_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 15, 60];
const REQUEST_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 15, 60];

export function createMetrics(): AppMetrics {
  const registry = new Registry();
  // Event-loop delay, memory, CPU and garbage collection, under their usual names.
  collectDefaultMetrics({ register: registry });
  return {
    ...eventMetrics(registry),
    ...plainMetrics(registry),
    ...streamMetrics(registry),
    ...outcomeMetrics(registry),
    exported: exportMetric(registry),
    alert: tallies(registry, 'sluice_alerts_total', 'Surges and silences of rules that began.', ALERT_KINDS),
    commit: commitMetric(registry),
    request: requestMetric(registry),
    ...gauges(registry),
    ...counters(registry),
    contentType: registry.contentType,
    print: () => print(registry),
  };
}

/** Each metric is read and written in a turn of its own, and none waits for what another has to ask. */
async function print(registry: Registry): Promise<string> {
  const texts: Promise<string>[] = [];
  for (const { name } of registry.getMetricsAsArray()) {
    await partOfWork(async () => {
      const text = registry.getSingleMetricAsString(name);
      // The whole fails with it, once all have begun.
      text.catch(() => {});
      texts.push(text);
    });
  }
  return `${(await Promise.all(texts)).join('\n\n')}\n`;
}

function eventMetrics(
  registry: Registry,
): Pick<AppMetrics, 'event' | 'eventsSoFar' | 'rejected' | 'ruleFailed' | 'rechecked'> {
  const events = tally(registry, 'sluice_events_total', 'Events matched.');
  const matches = tally(registry, 'sluice_matches_total', 'Matches found.');
  const evaluated = tally(registry, 'sluice_rules_evaluated_total', 'Rules evaluated on events.');
  const rejected = tally(registry, 'sluice_events_rejected_total', 'Events that could not be read.');
  const failures = tally(registry, 'sluice_rule_failures_total', 'Rules that failed on an event.');
  const rechecked = tally(registry, 'sluice_rechecked_rules_total', 'Rules on which the core was checked.');
  const differing = tally(
    registry,
    'sluice_recheck_differences_total',
    'Rules on which the core was found to be wrong.',
  );
  return {
    event(platform, rules, found, isAgain = false) {
      if (!isAgain) events[platform]++;
      evaluated[platform] += rules;
      matches[platform] += found;
    },
    eventsSoFar: () => events.x + events.firehose,
    rejected: (platform) => void rejected[platform]++,
    ruleFailed: (platform) => void failures[platform]++,
    rechecked(platform, rules, wrong) {
      rechecked[platform] += rules;
      differing[platform] += wrong;
    },
  };
}

type PlainMetric = 'computed' | 'computeThreadLost' | 'matchThreadLost' | 'webhookDisabled' | 'rehearsed';

/** Counters without labels. */
function plainMetrics(registry: Registry): Pick<Metrics, PlainMetric> {
  const count = (name: string, help: string) => new Counter({ name, help, registers: [registry] });
  const jobs = count('sluice_compute_jobs_total', 'Requests and parts of requests that compute threads have answered.');
  const seconds = count('sluice_compute_cpu_seconds_total', 'CPU time that compute threads spent on them.');
  const lost = count(
    'sluice_compute_threads_lost_total',
    'Compute threads that ended before their time: out of memory, or ended because their work did not stop.',
  );
  const lostMatching = count(
    'sluice_match_threads_lost_total',
    'Threads that match and ended before their time; the main thread matched their events.',
  );
  const disabled = count(
    'sluice_webhooks_disabled_total',
    'Webhooks that were disabled because their receiver failed or asked for it.',
  );
  const rehearsed = count('sluice_rehearsal_events_total', 'Events of the past that were read for rehearsals.');
  return {
    computed(cpu) {
      jobs.inc();
      seconds.inc(cpu);
    },
    computeThreadLost: () => lost.inc(),
    matchThreadLost: () => lostMatching.inc(),
    webhookDisabled: () => disabled.inc(),
    rehearsed: (events) => rehearsed.inc(events),
  };
}

function streamMetrics(registry: Registry): Pick<Metrics, 'stream' | 'gap' | 'verdict'> {
  const gaps = tally(registry, 'sluice_gaps_total', 'Spans of time in which completeness cannot be shown.');
  const streams = tallies(
    registry,
    'sluice_stream_total',
    'What happened to the streams of upstreams.',
    STREAM_COUNTERS,
  );
  const verdicts = tallies(
    registry,
    'sluice_verdicts_total',
    "The upstream's word on rules, and what our engine makes of it.",
    VERDICT_COUNTERS,
  );
  return { stream: streams, gap: (platform) => void gaps[platform]++, verdict: verdicts };
}

function outcomeMetrics(registry: Registry): Pick<Metrics, 'delivery' | 'visited' | 'rehearsal'> {
  return {
    delivery: outcomes(
      registry,
      'sluice_delivery_attempts_total',
      'Attempts of deliveries to webhooks, by how they ended.',
      DELIVERY_OUTCOMES,
    ),
    visited: outcomes(
      registry,
      'sluice_source_visits_total',
      'Visits to sources of accounts, by what was found.',
      VISIT_OUTCOMES,
    ),
    rehearsal: outcomes(
      registry,
      'sluice_rehearsals_total',
      'Rehearsals that ended, and those whose archive failed and is asked again.',
      REHEARSAL_OUTCOMES,
    ),
  };
}

function exportMetric(registry: Registry): HttpMetrics['exported'] {
  const registers = [registry];
  const exportsOf = new Counter({
    name: 'sluice_exports_total',
    help: 'Exports that ended, whole or cut off.',
    labelNames: ['format', 'outcome'],
    registers,
  });
  const labelNames = ['format'];
  const rowsOf = new Counter({
    name: 'sluice_export_rows_total',
    help: 'Matches that exports sent.',
    labelNames,
    registers,
  });
  const bytesOf = new Counter({
    name: 'sluice_export_bytes_total',
    help: 'Bytes that exports sent.',
    labelNames,
    registers,
  });
  for (const format of EXPORT_FORMATS) {
    for (const outcome of ['whole', 'cut_off']) exportsOf.inc({ format, outcome }, 0);
    for (const counter of [rowsOf, bytesOf]) counter.inc({ format }, 0);
  }
  return (format, { rows, bytes }, isWhole) => {
    exportsOf.inc({ format, outcome: isWhole ? 'whole' : 'cut_off' });
    rowsOf.inc({ format }, rows);
    bytesOf.inc({ format }, bytes);
  };
}

function commitMetric(registry: Registry): Metrics['commit'] {
  const rows = tally(registry, 'sluice_committed_rows_total', 'Rows handed to commits.');
  const commits = histogram(registry, 'sluice_commit_seconds', 'Time of a commit.', ['platform', 'ok'], COMMIT_BUCKETS);
  return (platform, count) => {
    const started = performance.now();
    return (ok) => {
      commits.observe({ platform, ok: String(ok) }, (performance.now() - started) / 1000);
      if (ok) rows[platform] += count;
    };
  };
}

function requestMetric(registry: Registry): HttpMetrics['request'] {
  const labels = ['route', 'method', 'status'];
  const requests = histogram(registry, 'sluice_request_seconds', 'Time of a request.', labels, REQUEST_BUCKETS);
  // Finding the series by its labels costs more than counting in it.
  const byRoute = new Map<string, ReturnType<typeof requests.labels>>();
  return (route, method, status, seconds) => {
    const name = `${method} ${status} ${route}`;
    const series = byRoute.get(name) ?? requests.labels({ route, method, status });
    byRoute.set(name, series);
    series.observe(seconds);
  };
}

function gauges(registry: Registry): Pick<AppMetrics, 'gauge' | 'each' | 'labelled' | 'total' | 'info'> {
  const registers = [registry];
  return {
    gauge(name, help, read) {
      const collect = () => {
        for (const platform of PLATFORMS) gauge.set({ platform }, read(platform));
      };
      const gauge = new Gauge({ name, help, labelNames: ['platform'], registers, collect });
    },
    each(name, help, label, read) {
      const collect = async () => {
        const figures = await read();
        gauge.reset();
        for (const [one, value] of Object.entries(figures)) if (value !== undefined) gauge.set({ [label]: one }, value);
      };
      const gauge = new Gauge({ name, help, labelNames: [label], registers, collect });
    },
    labelled(name, help, labels, read) {
      const collect = async () => {
        const values = await read().catch(() => []);
        gauge.reset();
        for (const { labels: of, value } of values) gauge.set(of, value);
      };
      const gauge = new Gauge({ name, help, labelNames: [...labels], registers, collect });
    },
    total(name, help, read) {
      const collect = async () => {
        // Not a number is what Prometheus has for a figure that is not known.
        gauge.set((await read()) ?? Number.NaN);
      };
      const gauge = new Gauge({ name, help, registers, collect });
    },
    info(name, help, labels) {
      new Gauge({ name, help, labelNames: Object.keys(labels), registers }).set(labels, 1);
    },
  };
}

function counters(registry: Registry): Pick<AppMetrics, 'counts' | 'countsOf' | 'count'> {
  const registers = [registry];
  return {
    counts(name, help, label, read) {
      const collect = () => {
        counter.reset();
        for (const [one, value = 0] of Object.entries(read())) counter.inc({ [label]: one }, value);
      };
      const counter = new Counter({ name, help, labelNames: [label], registers, collect });
    },
    countsOf(name, help, label, read) {
      const collect = () => {
        counter.reset();
        for (const platform of PLATFORMS) {
          for (const [one, value = 0] of Object.entries(read(platform))) counter.inc({ platform, [label]: one }, value);
        }
      };
      const counter = new Counter({ name, help, labelNames: ['platform', label], registers, collect });
    },
    count(name, help, read) {
      const collect = () => {
        counter.reset();
        counter.inc(read());
      };
      const counter = new Counter({ name, help, registers, collect });
    },
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

/** Counts by platform and kind; every kind shows from the start, so that its first rise is seen. */
function tallies<Kind extends string>(registry: Registry, name: string, help: string, kinds: readonly Kind[]) {
  const counter = new Counter({ name, help, labelNames: ['platform', 'kind'], registers: [registry] });
  for (const platform of PLATFORMS) for (const kind of kinds) counter.inc({ platform, kind }, 0);
  return (platform: Platform, kind: Kind): void => counter.inc({ platform, kind });
}

/** Counts by how something ended; every outcome shows from the start. */
function outcomes<Outcome extends string>(registry: Registry, name: string, help: string, all: readonly Outcome[]) {
  const counter = new Counter({ name, help, labelNames: ['outcome'], registers: [registry] });
  for (const outcome of all) counter.inc({ outcome }, 0);
  return (outcome: Outcome): void => counter.inc({ outcome });
}

const histogram = (registry: Registry, name: string, help: string, labelNames: string[], buckets: number[]) =>
  new Histogram({ name, help, labelNames, buckets, registers: [registry] });
