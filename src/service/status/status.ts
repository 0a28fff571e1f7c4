/** Status: the state of the account and, for the operator, of the whole instance. */
import { z } from 'zod';
import { PLANS, SCOPES } from '../../domain/account.ts';
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import { PACES } from '../../sources/pace.ts';
import { SOURCE_STATES, type SourceStatus } from '../../sources/source-status.ts';
import { type Caller, seesRule } from '../access/caller.ts';
import { isOperator } from '../access/keys.ts';
import { assessmentToJson, feedsOf } from '../coverage/coverage.ts';
import { assessment, gapsOf, gapToJson } from '../coverage/coverage-shapes.ts';
import { NOT_READY_CODES, WARNING_CODES } from '../readiness.ts';
import { rulesSeenBy } from '../rules/read-rules.ts';
import { RULE_TYPES, time } from '../shapes.ts';
import { accountLimits, limitsOf } from './account-limits.ts';
import { judgeStatus, judgeToJson } from './judge-status.ts';
import { operation, type StatusRoom } from './room.ts';
import { STATES, statusGaps, upstreamFields, upstreamStatus } from './upstream-status.ts';

/** Webhooks whose backlog is looked at, those that wait longest first. */
const MAX_OWED_SHOWN = 1_000;
/** An account may have a hundred thousand slow rules; this many are listed. */
const MAX_SLOW_LISTED = 20;
const MAX_ALERTING = 1_000;

export const platformStatus = z.object({
  shape: z.enum(['local', 'upstream']),
  state: z
    .enum(STATES)
    .describe('Of a local platform `ready`, `loading` or `degraded`; of an upstream the state of its stream.'),
  rule_type: z.enum(['premium', 'regular']),
  rules: z.int().describe('Rules of the account on this platform.'),
  rule_limit: z.int().nullable().describe('Null if there is no limit.'),
  slow_rules: z
    .array(z.object({ rule_id: z.string(), reason: z.string() }))
    .describe('Rules of the account that must be checked against every event, and why.'),
  sources: z.array(z.string()).describe('The open sources whose events rules of this platform see, by name.'),
  gaps: statusGaps,
  coverage: assessment.describe('How far answers about this platform can be relied on, and why not further.'),
  complete_through: assessment.shape.complete_through,
  lag_seconds: z.number().nullable().describe('How many seconds ago `complete_through` is.'),
  ...upstreamFields,
});
const oldMatches = z.object({
  objects: z.int(),
  matches: z.int().describe('Matches whose payloads lie in them.'),
  bytes: z.int(),
  oldest_day: z.iso.date().nullable().describe('The day (UTC) of the oldest of them.'),
  last_write_at: time.nullable(),
  last_failure_at: time
    .nullable()
    .describe('When an object could last not be written, read or deleted. The log says why.'),
});

export const instance = z.object({
  started_at: time,
  uptime_seconds: z.number(),
  not_ready: z.array(z.enum(NOT_READY_CODES)).describe('Why `/readyz` of the process that answers is not 200.'),
  warnings: z
    .array(z.enum(WARNING_CODES))
    .describe(
      'What the operator should see to, although the process does its work. `clock_off`: its clock and that of the store differ by more than a second.',
    ),
  clock_ahead_seconds: z
    .number()
    .describe("How far the clock of this process is ahead of the store's; below 0: behind."),
  schema: z
    .object({ writes: z.int(), needed: z.int() })
    .describe(
      'The number of the schema that this process writes, and of the least that a process must know to work on the tables.',
    ),
  queued_events: z.int(),
  commit_wait_seconds: z.number().describe('How long the oldest commit of this process has waited.'),
  owed: z
    .object({ matches: z.int(), oldest_at: time.nullable() })
    .describe('Matches that active webhooks wait for, up to 1,000 for each, and since when.'),
  log: z
    .object({ packs: z.int(), bytes: z.int(), room_bytes: z.int(), oldest_at: time.nullable(), aside: z.int() })
    .optional()
    .describe(
      'What waits in the log of `ack=log`, and how many events were put aside because the store refuses them. Only where a log is kept and the broker answers.',
    ),
  retention_late_seconds: z.number().describe('How long ago the oldest match that is still there was due to go.'),
  database_bytes: z.int(),
  old_matches: oldMatches
    .optional()
    .describe('Only where payloads of old matches lie in objects, or were to be moved there.'),
  judge: judgeStatus.optional().describe('Only where the operator has set a model that judges matches.'),
  platforms: z.partialRecord(
    z.enum(PLATFORMS),
    z.object({
      rules: z.int(),
      events_per_minute: z.int(),
      matches_per_minute: z.int(),
      last_hour: z
        .object({ events: z.array(z.int()), matches: z.array(z.int()) })
        .describe('One number per minute, oldest first; the last is the current minute.'),
      recent_events: z.object({ events: z.int(), limit: z.int(), bytes: z.int() }),
    }),
  ),
});

export const sourceStatus = z.object({
  name: z.string(),
  kind: z.string(),
  platforms: z.array(z.enum(PLATFORMS)).describe('The platforms whose rules see its events.'),
  state: z.enum(SOURCE_STATES),
  lag_seconds: z
    .number()
    .nullable()
    .describe("Seconds between an event's own time and its arrival; null before the first event."),
  events_per_minute: z.int(),
  usual_events_per_minute: z.int().nullable().describe('The median of the past hour; null in the first five minutes.'),
  pace: z
    .enum(PACES)
    .describe(
      'The last whole minute against the past hour. `slow`: under a quarter. `silent`: nothing came at all. `blind`: something came, and held no events.',
    ),
  last_good_at: time.nullable().describe('When it was last live with something stored.'),
  unread: z.int().describe('What came and cannot be read, since the process started. Each is a gap.'),
  errors: z.int().describe('Since the process started.'),
  last_event_at: time.nullable(),
  last_error: z.object({ at: time, message: z.string() }).nullable(),
});

export const status = operation({
  name: 'status',
  summary: 'Status of the account and the service',
  description:
    "The state of each platform for this account. A full key of the operator's account also sees `instance` and the open `sources`.",
  access: 'read',
  grants: 'rules',
  input: z.strictObject({}),
  output: z.object({
    version: z.string(),
    ready: z.boolean(),
    account: z.object({ id: z.string(), name: z.string(), plan: z.enum(PLANS) }),
    key: z.object({ id: z.string(), name: z.string(), scope: z.enum(SCOPES) }).describe('The key of the caller.'),
    limits: accountLimits,
    retention_days: z.int().describe('Matches older than this many days are removed.'),
    alerts: z.object({ open: z.int().describe('Rules with an alert that lasts, up to 1,000.') }),
    platforms: z.partialRecord(z.enum(PLATFORMS), platformStatus),
    instance: instance.optional(),
    sources: z.array(sourceStatus).optional(),
  }),
  example: {
    input: {},
    output: {
      version: '0.2.0',
      ready: true,
      account: { id: 'acct_01k3zq0a1b2c3d4e5f6g7h8j9k', name: 'default', plan: 'paid' },
      key: { id: 'key_01k3zq0a1b2c3d4e5f6g7h8j9k', name: 'first key', scope: 'full' },
      limits: [{ code: 'keys', limit: 100, used: 2 }],
      retention_days: 30,
      alerts: { open: 0 },
      platforms: {
        x: {
          shape: 'local',
          state: 'ready',
          rule_type: 'premium',
          rules: 3,
          rule_limit: 25,
          slow_rules: [],
          sources: [],
          gaps: [],
          coverage: { complete: false, complete_from: null, complete_through: null, reasons: ['no_feed'] },
          complete_through: null,
          lag_seconds: null,
        },
      },
    },
  },
  async run(context, caller) {
    const { account, key } = caller;
    const counted = await rulesCounted(context, caller);
    const state = context.ingest.trouble !== undefined ? 'degraded' : context.matching.isLoaded ? 'ready' : 'loading';
    const platformOf = async (name: Platform): Promise<z.input<typeof platformStatus>> => ({
      shape: context.platforms[name].shape,
      state,
      rule_type: RULE_TYPES[name],
      rules: counted[name] ?? 0,
      rule_limit: name === 'x' ? account.xRules : null,
      slow_rules: context.matching.rules[name].live
        .slow(account.id)
        .filter(({ ruleId }) => seesRule(caller, ruleId))
        .slice(0, MAX_SLOW_LISTED)
        .map(({ ruleId, reason }) => ({ rule_id: ruleId, reason })),
      ...(await coverageStatus(context, caller, name)),
      ...(context.platforms[name].shape === 'upstream' ? await upstreamStatus(context, caller, name) : {}),
    });
    return {
      version: context.settings.version,
      ready: context.readiness.notReady().length === 0,
      account: { id: account.id, name: account.name, plan: account.plan },
      key: { id: key.id, name: key.name, scope: key.scope },
      limits: await limitsOf(context, account, counted),
      retention_days: context.settings.retentionDays,
      alerts: { open: await openAlerts(context, caller) },
      platforms: { x: await platformOf('x'), firehose: await platformOf('firehose') },
      ...(isOperator(caller)
        ? { instance: await instanceOf(context), sources: context.sources().map(sourceToJson) }
        : {}),
    };
  },
});

async function coverageStatus(context: StatusRoom, { account, grant }: Caller, name: Platform) {
  const answer = await context.coverage.of({ accountId: account.id, platforms: [name] });
  const gaps = await gapsOf(context, name, { accountId: account.id, ruleIds: grant?.ruleIds });
  const feeds = await feedsOf(context, name, account.id);
  const lag = answer.through && Math.max(0, context.clock.now().getTime() - answer.through.getTime()) / 1_000;
  return {
    sources: feeds.filter(({ kind }) => kind === 'source').map((feed) => feed.name),
    gaps: statusGaps.parse(gaps.map(gapToJson)),
    coverage: assessmentToJson(answer),
    complete_through: answer.through?.toISOString() ?? null,
    lag_seconds: lag ?? null,
  };
}

const openAlerts = async ({ store }: StatusRoom, caller: Caller): Promise<number> =>
  (await store.alertingRules(caller.account.id, MAX_ALERTING)).filter((id) => seesRule(caller, id)).length;

/** By platform. An agent that is limited to some rules hears of those. */
async function rulesCounted(context: StatusRoom, caller: Caller): Promise<Partial<Record<Platform, number>>> {
  if (caller.grant?.ruleIds === undefined) return context.store.countRules(caller.account.id);
  const counted: Partial<Record<Platform, number>> = {};
  for await (const rules of rulesSeenBy(context, caller))
    for (const name of PLATFORMS) counted[name] = rules.filter(({ platforms }) => platforms[name] !== undefined).length;
  return counted;
}

const sourceToJson = (source: SourceStatus): z.input<typeof sourceStatus> => ({
  name: source.name,
  kind: source.kind,
  platforms: [...source.platforms],
  state: source.state,
  lag_seconds: source.lag ?? null,
  events_per_minute: source.eventsPerMinute,
  usual_events_per_minute: source.usualPerMinute ?? null,
  pace: source.pace,
  last_good_at: source.lastGoodAt?.toISOString() ?? null,
  unread: source.unread,
  errors: source.errors,
  last_event_at: source.lastEventAt?.toISOString() ?? null,
  last_error: source.lastError === undefined ? null : { ...source.lastError, at: source.lastError.at.toISOString() },
});

/** Matches for a batched or paused webhook wait on purpose and are not counted. */
async function owedBy({ store }: StatusRoom): Promise<z.input<typeof instance>['owed']> {
  const owed = (await store.owedBacklog(MAX_OWED_SHOWN)).filter(
    ({ status: state, isBatched }) => state === 'active' && !isBatched,
  );
  const [oldest] = owed;
  return {
    matches: owed.reduce((sum, { matches }) => sum + matches, 0),
    oldest_at: oldest?.since.toISOString() ?? null,
  };
}

async function oldMatchesOf({ store }: StatusRoom): Promise<Pick<z.input<typeof instance>, 'old_matches'>> {
  const { oldest, lastWrite, lastFailure, ...figures } = await store.coldFigures();
  if (lastWrite === undefined && lastFailure === undefined && figures.objects === 0) return {};
  return {
    old_matches: {
      ...figures,
      oldest_day: oldest?.toISOString().slice(0, 10) ?? null,
      last_write_at: lastWrite?.toISOString() ?? null,
      last_failure_at: lastFailure?.toISOString() ?? null,
    },
  };
}

async function schemaOf({ store }: StatusRoom): Promise<z.input<typeof instance>['schema']> {
  const { known, needed } = await store.schema();
  return { writes: known, needed };
}

async function logOf({ ingest }: StatusRoom): Promise<Pick<z.input<typeof instance>, 'log'>> {
  const backlog = await ingest.logBacklog();
  if (backlog === undefined) return {};
  const { packs, bytes, room, since, aside } = backlog;
  return { log: { packs, bytes, room_bytes: room, oldest_at: since?.toISOString() ?? null, aside } };
}

async function instanceOf(context: StatusRoom): Promise<z.input<typeof instance>> {
  const { store, clock, settings, ingest, matching, traffic, readiness, nodes, judge } = context;
  const platforms: z.input<typeof instance>['platforms'] = {};
  for (const name of PLATFORMS) {
    const { events, matches } = traffic.lastMinute(name);
    const hour = traffic.lastHour(name);
    platforms[name] = {
      rules: matching.size(name),
      events_per_minute: events,
      matches_per_minute: matches,
      last_hour: { events: hour.map((one) => one.events), matches: hour.map((one) => one.matches) },
      recent_events: { limit: settings.recentEvents, ...(await store.recentTotals(name)) },
    };
  }
  return {
    started_at: settings.startedAt.toISOString(),
    uptime_seconds: (clock.now().getTime() - settings.startedAt.getTime()) / 1_000,
    not_ready: readiness.notReady(),
    warnings: readiness.warnings(),
    clock_ahead_seconds: nodes.presence.clockAhead / 1_000,
    schema: await schemaOf(context),
    queued_events: ingest.queued.events,
    commit_wait_seconds: ingest.longestWait / 1_000,
    owed: await owedBy(context),
    ...(await logOf(context)),
    retention_late_seconds: (await store.retentionBacklog(clock.now())).lateMs / 1_000,
    database_bytes: await store.databaseBytes(),
    ...(await oldMatchesOf(context)),
    ...(judge === undefined ? {} : { judge: judgeToJson(await judge.status(), settings.currency) }),
    platforms,
  };
}
