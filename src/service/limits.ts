/**
 * Every limit that answers `resource_exhausted`, in one table. Its code is in the error's `details.limit_code` and in Status,
 * the error says how to get more, and `docs/limits.md` is printed from here.
 */
import type { Account, AccountLimit } from '../domain/account.ts';
import { ServiceError } from './errors.ts';

/** Without a limit one key could make any number of keys, each with a request limit of its own. */
export const MAX_KEYS = 100;
export const MAX_WEBHOOKS = 100;
export const MAX_GRANTS = 100;
export const MAX_ACCOUNT_SUBSCRIPTIONS = 400;
export const MAX_AGENT_SUBSCRIPTIONS = 100;
/** Proofs that are asked of one host within a minute. */
export const MAX_CHALLENGES = 120;
/** Mails a day that ask a recipient to confirm: of one account, and to one address. */
export const MAX_MAIL_CONFIRMATIONS = 20;
export const MAX_MAIL_CONFIRMATIONS_OF_ADDRESS = 2;
/** Unless the operator sets another number. */
export const MAX_WAITS = 1_000;
/** Requests of one account that wait for a compute thread: the console asks for three things at once. */
export const MAX_WAITING_PREVIEWS = 4;
/** Each holds a page of matches and its encoded form in memory. */
export const MAX_EXPORTS = 4;
export const MAX_FEEDS = 100;

/** Rehearsals of an account that are not done, and those that are kept in all. */
export const MAX_REHEARSALS = { unfinished: 3, kept: 20 };
/** Days of an archive that one rehearsal reads. */
export const MAX_ARCHIVE_DAYS = 7;

/** A deleted rule can be restored for this long. */
export const RESTORABLE_DAYS = 7;
/**
 * Facets, filtered counts and overlaps go through so much of the newest matches: rows, and characters of their
 * payloads.
 */
export const SCAN_BUDGET = { rows: 50_000, bytes: 64 * 1024 * 1024 };
/** Views of one account. */
export const MAX_VIEWS = 200;
/** Silences that hold at the same time, and days that one may hold. */
export const MAX_SILENCES = 100;
export const MAX_SILENCE_DAYS = 31;

/** Ratings of one rule. A further rating takes the place of the oldest. */
export const MAX_RATINGS = 2_000;

export interface Limit {
  readonly about: string;
  /** The limit when the operator sets nothing. */
  readonly usual: string;
  /** The limit with SLUICE_PROFILE=public, where it is another. */
  readonly open?: string;
  /** How a caller gets more. */
  readonly more: string;
}

const raise = (setting: string): string => `The operator raises the limit with ${setting}`;

/** A limit that can be raised for one account alone. */
const raiseOne = (code: AccountLimit, setting: string): string =>
  `${raise(setting)}, or of one account with \`sluice accounts set NAME --limit ${code}=N\``;

export const ACCOUNT_LIMITS = {
  requests_per_key: {
    about: 'Requests a minute of one key; ten seconds’ worth at once.',
    usual: '600',
    open: '120',
    more: raiseOne('requests_per_key', 'SLUICE_RATE_LIMIT'),
  },
  requests_per_account: {
    about: 'Requests a minute of all keys of an account together.',
    usual: 'four times the limit of a key',
    open: '240',
    more: raiseOne('requests_per_account', 'SLUICE_ACCOUNT_RATE_LIMIT'),
  },
  cpu_ms_per_minute: {
    about:
      'Milliseconds of CPU a minute that requests of an account take: previews, searches, exports, rehearsals, what is pushed, into the log too, matches that streams read while they catch up, and documents that tests and discovery of sources read. What was under way is finished, and the next requests wait.',
    usual: 'off',
    open: '10000',
    more: raiseOne('cpu_ms_per_minute', 'SLUICE_CPU_MS_PER_MINUTE'),
  },
  wrong_secrets: {
    about:
      'Wrong keys, tickets, sessions, codes and tokens a minute from one address, after the first 100. A right key is never refused.',
    usual: '20',
    more: 'Use a key that works',
  },
  pushed_bytes_per_minute: {
    about: 'Bytes a minute that an account pushes to `/events`.',
    usual: 'off',
    open: '8388608',
    more: raiseOne('pushed_bytes_per_minute', 'SLUICE_PUSHED_MIB_PER_MINUTE'),
  },
  pushed_bytes_per_day: {
    about: 'Bytes a day (UTC) that an account pushes to `/events`.',
    usual: 'off',
    open: '1073741824',
    more: raiseOne('pushed_bytes_per_day', 'SLUICE_PUSHED_MIB_PER_DAY'),
  },
  matches_per_day: {
    about:
      'Matches of an account in a day (UTC). The batch that reaches it is stored whole; then the rules of the account match nothing until the next day, which is a gap in its coverage, and what it pushes for itself is refused.',
    usual: 'off',
    open: '100000',
    more: raiseOne('matches_per_day', 'SLUICE_MATCHES_PER_DAY'),
  },
  stored_bytes: {
    about:
      'Bytes that the matches of an account take: their number, times the mean size of those that came. Beyond it the rules of the account match nothing until some have gone, as above.',
    usual: 'off',
    open: '1073741824',
    more: `Delete rules or matches. ${raiseOne('stored_bytes', 'SLUICE_STORED_MIB')}`,
  },
  sources: {
    about: 'Sources that an account has added (`sluice sources add`).',
    usual: '1000',
    open: '50',
    more: `Delete a source. ${raiseOne('sources', 'SLUICE_SOURCES_PER_ACCOUNT')}`,
  },
  source_fetches_per_hour: {
    about:
      'Fetches that the sources of an account make in an hour of the clock, tests and discovery among them. Of a source that others have too, visits that only they want do not count. Beyond it they wait until the next hour and say so, which is a gap in its coverage, and tests and discovery are refused.',
    usual: 'off',
    open: '600',
    more: `Visit sources less often (\`every\`), or pause some. ${raiseOne('source_fetches_per_hour', 'SLUICE_SOURCE_FETCHES_PER_HOUR')}`,
  },
  source_bytes_per_day: {
    about:
      'Bytes a day (UTC) that the sources of an account bring. Beyond it they wait until the next day and say so, which is a gap in its coverage.',
    usual: 'off',
    open: '268435456',
    more: raiseOne('source_bytes_per_day', 'SLUICE_SOURCE_MIB_PER_DAY'),
  },
  source_interval_seconds: {
    about: 'The shortest time between two visits that a source of an account may ask for (`every`).',
    usual: '60',
    open: '300',
    more: `Set a longer \`every\`. The operator changes the limit with SLUICE_SOURCE_INTERVAL, or of one account with \`sluice accounts set NAME --limit source_interval_seconds=N\``,
  },
  x_rules: {
    about: 'Rules of an account on x.',
    usual: '25',
    more: 'The operator raises the limit of an account with `sluice accounts set NAME --x-rules N`',
  },
  firehose_rules: {
    about: 'Rules of an account on firehose.',
    usual: 'off',
    open: '100',
    more: raiseOne('firehose_rules', 'SLUICE_FIREHOSE_RULES'),
  },
  x_budget: {
    about: 'What an account spends on x in a month, where the operator has set a budget.',
    usual: 'off',
    open: '10',
    more: 'The operator raises the budget of an account with `sluice accounts set NAME --x-budget AMOUNT`, or that of all others with SLUICE_X_BUDGET',
  },
  upstream_rules: {
    about: 'Rules that X or Firehose itself takes from this installation, and requests that it takes in a while.',
    usual: 'that of the plan there',
    more: 'The operator gets a larger plan there, or raises SLUICE_X_SLOTS or SLUICE_FIREHOSE_SLOTS',
  },
  keys: {
    about: 'Keys of an account; expired ones count until they are revoked.',
    usual: String(MAX_KEYS),
    more: 'Revoke a key',
  },
  webhooks: { about: 'Webhooks of an account.', usual: String(MAX_WEBHOOKS), more: 'Delete a webhook' },
  feeds: { about: 'Feeds of an account.', usual: String(MAX_FEEDS), more: 'Delete a feed' },
  feed_requests: {
    about:
      'Requests a minute to `/feeds/` from one address (a wrong secret counts as six), and 600 for one feed; as many to `/certificates/`.',
    usual: '120',
    more: 'Read the feed less often',
  },
  views: { about: 'Saved views of an account.', usual: String(MAX_VIEWS), more: 'Delete a view' },
  silences: {
    about: 'Silences of an account that hold at the same time.',
    usual: String(MAX_SILENCES),
    more: 'End one',
  },
  connected_agents: {
    about: 'Agents that are connected to an account by OAuth.',
    usual: String(MAX_GRANTS),
    more: 'Disconnect one',
  },
  subscriptions: {
    about: 'Live subscriptions of agents to events (`events/subscribe`), of an account.',
    usual: String(MAX_ACCOUNT_SUBSCRIPTIONS),
    more: 'End one',
  },
  subscriptions_per_agent: {
    about: 'Live subscriptions of one agent or key.',
    usual: String(MAX_AGENT_SUBSCRIPTIONS),
    more: 'Unsubscribe from one',
  },
  challenges: {
    about: 'Proofs that are asked of receivers on one host within a minute, before events go there.',
    usual: String(MAX_CHALLENGES),
    more: 'Wait a minute',
  },
  mail_confirmations: {
    about: `Mails a day (UTC) that ask a recipient to confirm, of an account; to one address ${MAX_MAIL_CONFIRMATIONS_OF_ADDRESS} of all accounts. One that the mail server did not take counts too. Each process counts its own.`,
    usual: String(MAX_MAIL_CONFIRMATIONS),
    more: 'Wait until tomorrow',
  },
  idempotency_keys: {
    about: 'Idempotency-Keys that an account uses within 24 hours.',
    usual: '10000',
    more: 'Send the request without one, or wait',
  },
  streams: {
    about: 'Open event streams of an account, on one process.',
    usual: '1000',
    open: '20',
    more: raiseOne('streams', 'SLUICE_STREAMS'),
  },
  waits: {
    about: 'Requests of an account that wait for matches at the same time (`wait_for_matches`), on one process.',
    usual: String(MAX_WAITS),
    open: '50',
    more: raiseOne('waits', 'SLUICE_WAITS'),
  },
  previews_waiting: {
    about:
      'Requests of an account that wait for their turn in a compute thread: previews, near misses, translations, suggestions, facets, overlaps, filtered counts, searches, exports, wrong texts of rules.',
    usual: String(MAX_WAITING_PREVIEWS),
    more: 'Send the request again when one of them was answered',
  },
  exports: {
    about: 'Exports (`GET /export`) of an account that are under way, on one process.',
    usual: String(MAX_EXPORTS),
    more: 'Wait until one of them has ended',
  },
  rehearsals: {
    about: 'Rehearsals of an account that wait or run.',
    usual: String(MAX_REHEARSALS.unfinished),
    more: 'Wait until one is done, or cancel one',
  },
} as const satisfies Record<string, Limit>;

export type LimitCode = keyof typeof ACCOUNT_LIMITS;

/** The limits of accounts that the operator sets; undefined is no limit. */
export interface AccountLimits {
  readonly requestsPerKey?: number | undefined;
  readonly requestsPerAccount?: number | undefined;
  readonly cpuPerMinute?: number | undefined;
  readonly firehoseRules?: number | undefined;
  readonly streams?: number | undefined;
  readonly waits?: number | undefined;
  readonly pushedPerMinute?: number | undefined;
  readonly pushedPerDay?: number | undefined;
  readonly matchesPerDay?: number | undefined;
  readonly storedBytes?: number | undefined;
  readonly sources?: number | undefined;
  readonly sourceFetchesPerHour?: number | undefined;
  readonly sourceBytesPerDay?: number | undefined;
  readonly sourceInterval?: number | undefined;
  /** An account without a budget of its own may spend so much on x in a month. */
  readonly xBudget?: number | undefined;
}

const USUAL: Readonly<Record<AccountLimit, keyof AccountLimits>> = {
  requests_per_key: 'requestsPerKey',
  requests_per_account: 'requestsPerAccount',
  cpu_ms_per_minute: 'cpuPerMinute',
  pushed_bytes_per_minute: 'pushedPerMinute',
  pushed_bytes_per_day: 'pushedPerDay',
  firehose_rules: 'firehoseRules',
  streams: 'streams',
  waits: 'waits',
  matches_per_day: 'matchesPerDay',
  stored_bytes: 'storedBytes',
  sources: 'sources',
  source_fetches_per_hour: 'sourceFetchesPerHour',
  source_bytes_per_day: 'sourceBytesPerDay',
  source_interval_seconds: 'sourceInterval',
};

/** The limit of one account: its own, or that of the installation. Returns undefined when there is no limit. */
export function limitOf(
  usual: AccountLimits | undefined,
  { limits }: Pick<Account, 'limits'>,
  code: AccountLimit,
): number | undefined {
  const own = limits?.[code];
  return own === undefined ? usual?.[USUAL[code]] : (own ?? undefined);
}

/** `message` says which number is reached. What to do, and whom to ask, is added here. */
export function limitReached(
  code: LimitCode,
  message: string,
  {
    support = '',
    details = {},
    retryAfter,
  }: { support?: string; details?: Record<string, unknown>; retryAfter?: number },
): ServiceError {
  const ask = support === '' ? '' : `; ask ${support}`;
  const wait = retryAfter === undefined ? '' : ` Try again in ${retryAfter} s.`;
  return new ServiceError('resource_exhausted', `${message}${wait} ${ACCOUNT_LIMITS[code].more}${ask}.`, {
    details: { limit_code: code, ...details },
    ...(retryAfter !== undefined && { retryAfter }),
  });
}
