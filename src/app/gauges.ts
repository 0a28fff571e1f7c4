/** The figures at `/metrics` that are read from the running service when they are asked for. */
import { PLATFORMS, type Platform } from '../domain/platform.ts';
import { topUses } from '../service/accounts/account-uses.ts';
import type { Context } from '../service/context.ts';
import { NOT_READY_CODES, type NotReady } from '../service/readiness.ts';
import type { SourceStatus } from '../sources/source-status.ts';
import type { AppMetrics } from './metrics.ts';

/** `lostSpans` counts spans that the collector of traces never got. */
export function addGauges(metrics: AppMetrics, context: Context, lostSpans = () => 0): void {
  metrics.info('sluice_build_info', 'The version that runs, and on what.', {
    version: context.settings.version,
    node: process.version,
  });
  metrics.count('sluice_trace_spans_dropped_total', 'Spans that the collector of traces never got.', lostSpans);
  addReadiness(metrics, () => context.readiness.notReady());
  addTotals(metrics, context);
  addPlatformGauges(metrics, context);
  addSourceGauges(metrics, context);
  addCoverageGauges(metrics, context);
  addAccountGauges(metrics, context);
  addJudgeGauges(metrics, context);
}

/** Without a judging model there are no figures of one. */
function addJudgeGauges({ counts, labelled }: AppMetrics, { judge }: Context): void {
  if (judge === undefined) return;
  counts(
    'sluice_judgements_total',
    'What came of asking the judge: `relevant` or `irrelevant`, `known` from an equal text, or `failed`.',
    'outcome',
    () => ({ ...judge.counts }),
  );
  const figures = ['calls', 'money', 'inputTokens', 'outputTokens'] as const;
  labelled(
    'sluice_judge_spent',
    'What all processes have spent on the judge in this day and this month of UTC; money in the currency.',
    ['what', 'per'],
    async () => {
      const { spent } = await judge.status();
      return (['day', 'month'] as const).flatMap((per) =>
        figures.map((what) => ({
          labels: { what: what.replace('Tokens', '_tokens'), per },
          value: spent[per][what] / (what === 'money' ? 1_000_000 : 1),
        })),
      );
    },
  );
}

/** Labels must stay few, however many accounts there are: those beyond these are one. */
const ACCOUNTS_SHOWN = 10;
const ACCOUNT_FIGURES = [
  ['sluice_account_cpu_seconds', 'CPU that requests and pushes of an account took', 'cpu_ms', 1_000],
  ['sluice_account_pushed_bytes', 'Bytes that an account pushed', 'bytes_in', 1],
  ['sluice_account_matches', 'Matches that were stored for an account', 'matches', 1],
  ['sluice_account_turns', 'Requests of an account that compute threads answered', 'turns', 1],
] as const;

function addAccountGauges({ labelled, total }: AppMetrics, { accountUses, suspensions }: Context): void {
  for (const [name, what, used, unit] of ACCOUNT_FIGURES)
    labelled(
      name,
      `${what} in the last whole minute: the ten largest by id, and all others together.`,
      ['account'],
      async () =>
        topUses(accountUses.lastMinute(), used, ACCOUNTS_SHOWN).map(({ account, value }) => ({
          labels: { account },
          value: value / unit,
        })),
    );
  total('sluice_accounts_suspended', 'Accounts that the operator has suspended.', () => suspensions.count);
}

function addReadiness({ total, each }: AppMetrics, notReady: () => readonly NotReady[]): void {
  total('sluice_ready', 'Whether `/readyz` answers 200: 1 or 0.', () => Number(notReady().length === 0));
  each('sluice_not_ready', 'Why it does not: 1 for each reason that holds.', 'reason', () => {
    const reasons = notReady();
    return Object.fromEntries(NOT_READY_CODES.map((code) => [code, Number(reasons.includes(code))]));
  });
}

function addTotals({ total, count }: AppMetrics, context: Context): void {
  const { live, dispatcher, ingest, watcher, rehearsals, nodes } = context;
  total(
    'sluice_clock_ahead_seconds',
    "How far the clock of this process is ahead of the store's; below 0: behind.",
    () => nodes.presence.clockAhead / 1_000,
  );
  total('sluice_rehearsals_running', 'Rehearsals that run on this process.', () => rehearsals.running);
  total(
    'sluice_watched_rules',
    'Rules that this process watches for surges and silence, once for each platform; nothing where another process does.',
    () => watcher.figures?.watches,
  );
  total(
    'sluice_watch_late_seconds',
    'How long ago the first of them should have been looked at.',
    () => watcher.figures && watcher.figures.lateMs / 1_000,
  );
  total('sluice_streams', 'Open event streams.', () => live.figures.subscribers);
  total('sluice_streams_behind', 'Streams that were not sent all there is yet.', () => live.figures.behind);
  total(
    'sluice_streams_behind_seconds',
    'How long ago the slowest of these fell behind; 0 when there is none.',
    () => live.figures.behindMs / 1_000,
  );
  count(
    'sluice_streams_evicted_total',
    'Streams cut off because their client did not read.',
    () => live.figures.evicted,
  );
  total('sluice_queued_events', 'Events that wait to be stored.', () => ingest.queued.events);
  total(
    'sluice_commit_wait_seconds',
    'How long the oldest commit has waited; 0 when none waits.',
    () => ingest.longestWait / 1_000,
  );
  total('sluice_deliveries_in_flight', 'Attempts of deliveries under way.', () => dispatcher.inFlight);
}

function addPlatformGauges({ gauge, countsOf }: AppMetrics, context: Context): void {
  const { matching, upstreams, registrations } = context;
  gauge('sluice_rules', 'Rules that are matched.', (platform) => matching.size(platform));
  countsOf(
    'sluice_lines_analysed_total',
    'Lines that the core was given and that had to be analysed before they could be matched, by reason.',
    'reason',
    (platform) => {
      const counts = matching.rules[platform].live.lineCounts;
      return counts === undefined ? {} : { ...counts.leftFor, pattern: counts.triedPatterns };
    },
  );
  gauge('sluice_stream_up', 'Whether the stream of the upstream is live; 1 for a platform of our own.', (platform) =>
    Number((upstreams.status(platform)?.state ?? 'live') === 'live'),
  );
  gauge('sluice_stream_lag_seconds', 'How long ago the stream was last known to be whole.', (platform) =>
    lagOf(context, platform),
  );
  gauge(
    'sluice_registrations',
    'Registrations of ours that upstreams hold.',
    (platform) => registrations.figures(platform).held,
  );
  gauge(
    'sluice_slots_used',
    'Registrations that upstreams hold, ours and others.',
    (platform) => registrations.figures(platform).used,
  );
  gauge(
    'sluice_slots',
    'Registrations that upstreams take; 0 where there is no limit.',
    (platform) => registrations.figures(platform).limit ?? 0,
  );
}

function addSourceGauges({ each, counts }: AppMetrics, { sources, clock }: Context): void {
  const ofSources = (read: (source: SourceStatus) => number) => () =>
    Object.fromEntries(sources().map((source) => [source.name, read(source)]));
  const events = ofSources((source) => source.events);
  counts('sluice_source_events_total', 'Events that a source brought.', 'source', events);
  each(
    'sluice_source_up',
    'Whether a source is live: 1 or 0.',
    'source',
    ofSources(({ state }) => Number(state === 'live')),
  );
  each(
    'sluice_source_lag_seconds',
    "Time between an event's own time and its arrival.",
    'source',
    ofSources(({ lag }) => lag ?? 0),
  );
  const unread = ofSources((source) => source.unread);
  counts('sluice_source_unread_total', 'What a source brought and could not be read. Each is a gap.', 'source', unread);
  const errors = ofSources((source) => source.errors);
  counts('sluice_source_errors_total', 'Errors of a source.', 'source', errors);
  each(
    'sluice_source_usual_events_per_minute',
    'The median of events a minute in the past hour; 0 in the first five minutes.',
    'source',
    ofSources(({ usualPerMinute }) => usualPerMinute ?? 0),
  );
  each(
    'sluice_source_well_seconds',
    'Time since a source was last live with something stored; 0 before the first time.',
    'source',
    ofSources(({ lastGoodAt }) =>
      lastGoodAt === undefined ? 0 : (clock.now().getTime() - lastGoodAt.getTime()) / 1_000,
    ),
  );
}

function lagOf({ upstreams, clock }: Context, platform: Platform): number {
  const through = upstreams.status(platform)?.completeThrough;
  return through === undefined ? 0 : Math.max(0, clock.now().getTime() - through.getTime()) / 1_000;
}

/** A gap that ended earlier makes no alert. */
const RECENT_MS = 3_600_000;

function addCoverageGauges({ labelled }: AppMetrics, { coverage, clock, store }: Context): void {
  const known = async () => {
    const gapsSince = new Date(clock.now().getTime() - RECENT_MS);
    const [account, ...others] = await store.accounts(2);
    // The coverage of the only account concerns everybody: `/metrics` then says what Status says.
    const accountId = others.length === 0 ? account?.id : undefined;
    return coverage.of({ platforms: PLATFORMS, gapsSince, accountId });
  };
  labelled(
    'sluice_coverage_complete',
    'Whether nothing is known to be missing, with the gaps of the last hour: 1 or 0.',
    ['platform'],
    async () => {
      const { platforms } = await known();
      return PLATFORMS.map((platform) => ({ labels: { platform }, value: Number(platforms[platform]!.complete) }));
    },
  );
  labelled(
    'sluice_coverage_reason',
    'Why events may be missing: 1 for each reason that holds.',
    ['platform', 'reason'],
    async () => {
      const { platforms } = await known();
      return PLATFORMS.flatMap((platform) =>
        platforms[platform]!.reasons.map((reason) => ({ labels: { platform, reason }, value: 1 })),
      );
    },
  );
}
