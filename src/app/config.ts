/** Configuration: one pure function from the environment to plain values, with every problem in one message. */
import { join } from 'node:path';
import { isBucket, type ObjectPlace } from '../base/object-store.ts';
import type { Platform } from '../domain/platform.ts';
import { ROLES } from '../domain/role.ts';
import type { JudgeOptions } from '../service/judging/ask-model.ts';
import type { AccountLimits } from '../service/limits.ts';
import { X_WEBHOOK_PATH } from '../service/upstream/upstreams.ts';
import { isBlueskyHost } from '../sources/kinds/jetstream.ts';
import type { SourceConfig } from '../sources/kinds/kinds.ts';
import { readSources } from './config-file.ts';
import { PROFILES, SETTINGS, type Setting, type SettingName, type Values } from './settings.ts';
import { traceSettings } from './tracing/trace-settings.ts';

export type Env = Readonly<Record<string, string | undefined>>;

/** A setting is wrong. The message is for the person who started the program. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** The settings as the program takes them; `settings.ts` says what each is for. What is undefined is off, or has no limit. */
export type Config = Readonly<ReturnType<typeof loadConfig>>;

/** A secret, or the file that holds it. */
export type Secret = { readonly value: string } | { readonly file: string };

export interface UpstreamConfig {
  readonly baseUrl: string;
  readonly token: Secret;
  /** How many rules it takes, where it is not asked. */
  readonly slots: number | undefined;
}

/** The real platforms; one that is not here is our own. */
type Upstreams = Readonly<Partial<Record<Platform, UpstreamConfig>>>;

/** Open sources feed platforms of our own. Beside a real one they feed the other platform, or have nothing to feed. */
function besideUpstreams(source: SourceConfig, upstreams: Upstreams, problems: string[]): SourceConfig {
  const platforms = source.platforms.filter((name) => upstreams[name] === undefined);
  if (platforms.length === 0)
    problems.push(
      `The source ${source.name} feeds ${source.platforms.join(' and ')} alone, which is a real upstream here.`,
    );
  return { ...source, platforms };
}

export function loadConfig(env: Env) {
  const problems = [...unknownNames(env)];
  const values = readValues(env, problems);
  problems.push(...misfits(values), ...coldMisfits(values), ...mailMisfits(values));
  problems.push(...judgeMisfits(values), ...logMisfits(values));
  const upstreams = upstreamsOf(values, problems);
  const xWebhook = xWebhookOf(values, problems);
  const configured = readSources(values.SLUICE_CONFIG, values.SLUICE_SOURCES, problems);
  const sources = configured.map((source) => besideUpstreams(source, upstreams, problems));
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  return {
    host: values.SLUICE_HOST,
    port: values.SLUICE_PORT,
    dataDir: values.SLUICE_DATA_DIR,
    storeUrl: values.SLUICE_STORE_URL ?? `sqlite:${join(values.SLUICE_DATA_DIR, 'sluice.db')}`,
    apiKey: values.SLUICE_API_KEY,
    // Several processes have real events; and no one of them could tell when the first has come.
    demo: values.SLUICE_DEMO && !values.SLUICE_STORE_URL?.startsWith('postgres'),
    ...rateLimits(values),
    retentionDays: values.SLUICE_RETENTION_DAYS,
    erasureDays: values.SLUICE_ERASURE_DAYS,
    recentEvents: values.SLUICE_RECENT_EVENTS,
    hotDays: values.SLUICE_HOT_DAYS,
    cold: coldPlace(values),
    matchThreads: values.SLUICE_MATCH_THREADS,
    computeThreads: values.SLUICE_COMPUTE_THREADS,
    xLevel: values.SLUICE_X_LEVEL,
    upstreams,
    xWebhook,
    prices: { x: values.SLUICE_X_PRICE, firehose: values.SLUICE_FIREHOSE_PRICE },
    currency: values.SLUICE_CURRENCY,
    publicUrl: values.SLUICE_PUBLIC_URL,
    websubHub: values.SLUICE_WEBSUB_HUB,
    oauthRegistration: values.SLUICE_OAUTH_REGISTRATION,
    trustProxy: listOf(values.SLUICE_TRUST_PROXY),
    corsOrigins: listOf(values.SLUICE_CORS_ORIGINS),
    stopGrace: values.SLUICE_STOP_GRACE,
    streams: values.SLUICE_STREAMS,
    limits: accountLimits(values),
    webhookAllowPrivate: values.SLUICE_WEBHOOK_ALLOW_PRIVATE,
    mail: mailOf(values),
    sealingKey: values.SLUICE_SEALING_KEY,
    webhookRetries: values.SLUICE_WEBHOOK_RETRIES,
    eventRetries: values.SLUICE_EVENT_RETRIES,
    support: values.SLUICE_SUPPORT,
    logLevel: values.SLUICE_LOG_LEVEL,
    natsUrl: values.SLUICE_NATS_URL,
    log: logOf(values),
    cluster: values.SLUICE_CLUSTER,
    roles: values.SLUICE_ROLES,
    serverUrl: values.SLUICE_URL,
    historyDir: values.SLUICE_HISTORY,
    jetstreamKey: values.SLUICE_JETSTREAM_KEY,
    sources: sources.map((source) => withSecrets(source, values)),
    accountSources: values.SLUICE_ACCOUNT_SOURCES,
    browserUrl: values.SLUICE_BROWSER_URL,
    judge: judgeOf(values),
    // All nodes together may spend this on the model.
    judgeLimits: values.SLUICE_JUDGE_BUDGET satisfies JudgeOptions['limits'],
    traces: traceSettings(env),
  };
}

/** Beside one SQLite file there is a folder for them; several nodes must be told where all of them see one. */
function coldPlace({
  SLUICE_COLD: given,
  SLUICE_COLD_CREDENTIAL: credential,
  ...values
}: Values): ObjectPlace | undefined {
  if (given !== undefined) return { url: given, ...(credential !== undefined && { credential }) };
  return isPostgres(values.SLUICE_STORE_URL) ? undefined : { url: join(values.SLUICE_DATA_DIR, 'cold') };
}

function* coldMisfits(values: Values): Iterable<string> {
  const { SLUICE_COLD: place, SLUICE_COLD_CREDENTIAL: credential, SLUICE_HOT_DAYS: days } = values;
  if (days !== undefined && place === undefined && isPostgres(values.SLUICE_STORE_URL))
    yield 'SLUICE_HOT_DAYS needs SLUICE_COLD: a folder that every node sees, or s3://bucket/prefix.';
  const hasBucket = place !== undefined && isBucket(place);
  if (hasBucket && credential === undefined)
    yield 'SLUICE_COLD=s3://… needs SLUICE_COLD_CREDENTIAL, the key of the bucket.';
  if (!hasBucket && credential !== undefined)
    yield 'SLUICE_COLD_CREDENTIAL is for SLUICE_COLD=s3://…: set that, too, or unset it.';
}

const isPostgres = (store: string | undefined): boolean => store?.startsWith('postgres') === true;

const listOf = (text: string | undefined): string[] => text?.split(',').map((part) => part.trim()) ?? [];

/** Keys that one account has in full use, unless the operator sets the account's limit. */
const KEYS_IN_FULL_USE = 4;

function rateLimits(values: Values) {
  const { SLUICE_RATE_LIMIT: perKey, SLUICE_ACCOUNT_RATE_LIMIT: given } = values;
  const perAccount = given ?? (perKey === 'off' ? 'off' : perKey * KEYS_IN_FULL_USE);
  const limit = (value: number | 'off') => (value === 'off' ? undefined : value);
  return { rateLimit: limit(perKey), accountRateLimit: limit(perAccount) };
}

const MEBI = 1024 * 1024;

function accountLimits(values: Values): Omit<AccountLimits, 'requestsPerKey' | 'requestsPerAccount' | 'streams'> {
  const unlessOff = (value: number | 'off', unit = 1) => (value === 'off' ? undefined : value * unit);
  return {
    firehoseRules: unlessOff(values.SLUICE_FIREHOSE_RULES),
    waits: values.SLUICE_WAITS,
    pushedPerMinute: unlessOff(values.SLUICE_PUSHED_MIB_PER_MINUTE, MEBI),
    pushedPerDay: unlessOff(values.SLUICE_PUSHED_MIB_PER_DAY, MEBI),
    cpuPerMinute: unlessOff(values.SLUICE_CPU_MS_PER_MINUTE),
    matchesPerDay: unlessOff(values.SLUICE_MATCHES_PER_DAY),
    storedBytes: unlessOff(values.SLUICE_STORED_MIB, MEBI),
    sources: unlessOff(values.SLUICE_SOURCES_PER_ACCOUNT),
    sourceFetchesPerHour: unlessOff(values.SLUICE_SOURCE_FETCHES_PER_HOUR),
    sourceBytesPerDay: unlessOff(values.SLUICE_SOURCE_MIB_PER_DAY, MEBI),
    sourceInterval: unlessOff(values.SLUICE_SOURCE_INTERVAL),
    xBudget: unlessOff(values.SLUICE_X_BUDGET),
  };
}

/** All limits of an account that has none of its own. */
export const usualLimits = ({ limits, rateLimit, accountRateLimit, streams }: Config): AccountLimits => ({
  ...limits,
  requestsPerKey: rateLimit,
  requestsPerAccount: accountRateLimit,
  streams,
});

function withSecrets(source: SourceConfig, values: Values): SourceConfig {
  const tokens: Readonly<Record<string, string | undefined>> = {
    mastodon: values.SLUICE_MASTODON_TOKEN,
    github: values.SLUICE_GITHUB_TOKEN,
  };
  const token = tokens[source.kind];
  if (token !== undefined) return { ...source, options: { token, ...source.options } };
  // The key is one of Bluesky: no other host gets it.
  const isBluesky = source.kind === 'jetstream' && isBlueskyHost(String(source.options['url']));
  const key = values.SLUICE_JETSTREAM_KEY;
  return isBluesky && key !== undefined ? { ...source, options: { key, ...source.options } } : source;
}

type SecretName = 'SLUICE_X_BEARER_TOKEN' | 'SLUICE_FIREHOSE_TOKEN' | 'SLUICE_X_CONSUMER_SECRET';

function secretOf(values: Values, name: SecretName, problems: string[]): Secret | undefined {
  const [value, file] = [values[name], values[`${name}_FILE`]];
  if (value !== undefined && file !== undefined) problems.push(`${name} and ${name}_FILE are set: unset one.`);
  if (file !== undefined) return { file };
  return value === undefined ? undefined : { value };
}

/** The address that X delivers to, and the secret that it signs with; undefined where its stream is read. */
function xWebhookOf(values: Values, problems: string[]): { url: string; secret: Secret } | undefined {
  const { SLUICE_X_DELIVERY: delivery, SLUICE_X_LEVEL: level, SLUICE_PUBLIC_URL: here } = values;
  const secret = secretOf(values, 'SLUICE_X_CONSUMER_SECRET', problems);
  if (delivery === 'stream') {
    if (secret !== undefined)
      problems.push('SLUICE_X_CONSUMER_SECRET is for SLUICE_X_DELIVERY=webhook: set that, too, or unset the secret.');
    return undefined;
  }
  const needs = (name: string, why: string) => void problems.push(`SLUICE_X_DELIVERY=webhook needs ${name}: ${why}.`);
  if (values.SLUICE_X_BEARER_TOKEN === undefined && values.SLUICE_X_BEARER_TOKEN_FILE === undefined)
    needs('SLUICE_X_BEARER_TOKEN', 'the webhook is registered with it');
  if (secret === undefined) needs('SLUICE_X_CONSUMER_SECRET', 'X signs with it what it delivers');
  if (level === 'payg') needs('SLUICE_X_LEVEL=enterprise', 'X delivers by webhook at that level alone');
  if (here === undefined) needs('SLUICE_PUBLIC_URL', 'X delivers to it');
  else if (!isReachableByX(here))
    needs('a SLUICE_PUBLIC_URL that begins with https:// and names no port', 'X delivers to no other address');
  return secret && here !== undefined ? { url: `${here}${X_WEBHOOK_PATH}`, secret } : undefined;
}

/** This machine is for the sandbox. */
function isReachableByX(address: string): boolean {
  const { protocol, port, hostname } = new URL(address);
  return ['localhost', '127.0.0.1', '[::1]'].includes(hostname) || (protocol === 'https:' && port === '');
}

function upstreamsOf(values: Values, problems: string[]): Upstreams {
  const x = secretOf(values, 'SLUICE_X_BEARER_TOKEN', problems);
  const firehose = secretOf(values, 'SLUICE_FIREHOSE_TOKEN', problems);
  return {
    ...(x && { x: { token: x, baseUrl: values.SLUICE_X_BASE_URL, slots: values.SLUICE_X_SLOTS } }),
    ...(firehose && {
      firehose: { token: firehose, baseUrl: values.SLUICE_FIREHOSE_BASE_URL, slots: values.SLUICE_FIREHOSE_SLOTS },
    }),
  };
}

/** Each setting is read by its own type, so the whole has the type of the table; a problem is noted, and stops the start later. */
function readValues(env: Env, problems: string[]): Values {
  const values: Record<string, unknown> = {};
  const profile = PROFILES[env['SLUICE_PROFILE'] ?? ''];
  for (const [name, { unset, type }] of Object.entries<Setting>(SETTINGS)) {
    const text = env[name] || profile?.[name as SettingName] || unset;
    if (text === undefined) continue;
    const read = type.safeParse(text);
    if (read.success) values[name] = read.data;
    else problems.push(`${name} ${read.error.issues[0]?.message ?? 'is not valid'}.`);
  }
  return values as Values;
}

function* unknownNames(env: Env): Iterable<string> {
  for (const name of Object.keys(env)) {
    if (!name.startsWith('SLUICE_') || name.startsWith('SLUICE_TEST_') || name in SETTINGS) continue;
    yield `${name} is not a setting. Did you mean ${nearest(name)}?`;
  }
}

const FREE = { input: 0, output: 0 };

function judgeOf(values: Values): Omit<JudgeOptions, 'limits'> | undefined {
  const { SLUICE_JUDGE_URL: url, SLUICE_JUDGE_MODEL: model, SLUICE_JUDGE_KEY: key } = values;
  const { SLUICE_JUDGE_PRICE: price = FREE } = values;
  return url === undefined || model === undefined ? undefined : { url, model, key, price };
}

function* judgeMisfits(values: Values): Iterable<string> {
  const { SLUICE_JUDGE_URL: url, SLUICE_JUDGE_MODEL: model, SLUICE_JUDGE_BUDGET: limits } = values;
  if ((url === undefined) !== (model === undefined))
    yield 'SLUICE_JUDGE_URL and SLUICE_JUDGE_MODEL go together: set both.';
  // A budget that cannot be read is told of already, and is not there.
  if (limits?.some(({ what }) => what === 'money') && values.SLUICE_JUDGE_PRICE === undefined)
    yield 'SLUICE_JUDGE_BUDGET has a limit of money, which needs SLUICE_JUDGE_PRICE: what a million tokens cost.';
}

const logOf = ({ SLUICE_LOG_MIB: mebibytes, SLUICE_NATS_MONITOR: monitors }: Values) =>
  mebibytes === undefined ? undefined : { bytes: mebibytes * MEBI, monitors: monitors ?? [] };

function* logMisfits(values: Values): Iterable<string> {
  const { SLUICE_LOG_MIB: room, SLUICE_NATS_MONITOR: monitors, SLUICE_NATS_URL: nats } = values;
  if (room !== undefined && nats === undefined) yield 'SLUICE_LOG_MIB keeps a log on NATS: set SLUICE_NATS_URL.';
  if (monitors !== undefined && room === undefined)
    yield 'SLUICE_NATS_MONITOR is for the log: set SLUICE_LOG_MIB, too, or unset it.';
}

/** Settings that need another setting. */
const mailOf = ({ SLUICE_SMTP_URL: url, SLUICE_SMTP_FROM: from, SLUICE_SMTP_DOMAINS: domains }: Values) =>
  url === undefined || from === undefined ? undefined : { url, from, domains };

function* mailMisfits({
  SLUICE_SMTP_URL: url,
  SLUICE_SMTP_FROM: from,
  SLUICE_PUBLIC_URL: here,
}: Values): Iterable<string> {
  if ((url === undefined) !== (from === undefined)) yield 'SLUICE_SMTP_URL and SLUICE_SMTP_FROM go together: set both.';
  if (url !== undefined && here === undefined)
    yield 'SLUICE_SMTP_URL needs SLUICE_PUBLIC_URL: every mail has a link to this server.';
}

function* misfits({ SLUICE_STORE_URL: store, SLUICE_NATS_URL: nats, SLUICE_ROLES: roles }: Values): Iterable<string> {
  const isShared = store?.startsWith('postgres') ?? false;
  if (nats !== undefined && !isShared)
    yield 'SLUICE_NATS_URL is for several processes, which need one store: set SLUICE_STORE_URL to a PostgreSQL.';
  if (roles !== undefined && !isShared && ROLES.some((role) => !roles.includes(role)))
    yield 'SLUICE_ROLES divides the work among several processes, which need one store: set SLUICE_STORE_URL to a PostgreSQL.';
  if (roles?.join() === 'matcher' && nats === undefined)
    yield 'SLUICE_ROLES names a matcher alone, which is brought its events by a broker: set SLUICE_NATS_URL.';
}

function nearest(name: string): string {
  const ranked = Object.keys(SETTINGS).map((known) => ({ known, distance: editDistance(name, known) }));
  return ranked.reduce((best, one) => (one.distance < best.distance ? one : best)).known;
}

function editDistance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i++) {
    const next = [i];
    for (let j = 1; j <= right.length; j++) {
      const changed = row[j - 1]! + (left[i - 1] === right[j - 1] ? 0 : 1);
      next.push(Math.min(changed, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[right.length]!;
}
