/** The limits of an account in words, and what to do when one is reached. */
import type { Status } from '../data/queries.ts';
import type { Shown } from './shown.ts';

type Limit = Status['limits'][number];

/** `about` says what is refused at the limit, and what helps. */
export const LIMITS = {
  requests_per_key: limit('Requests a minute, for one key', 'Further requests are refused until the minute is over.'),
  requests_per_account: limit('Requests a minute, all keys', 'Further requests are refused until the minute is over.'),
  cpu_ms_per_minute: limit('CPU a minute, in ms', 'Further requests are refused until it has come back.'),
  wrong_secrets: limit('Wrong keys a minute', 'Further wrong keys from the same address are refused.'),
  pushed_bytes_per_minute: limit('Bytes sent in a minute', 'Further events are refused until the minute is over.'),
  pushed_bytes_per_day: limit('Bytes sent in a day', 'Further events are refused until midnight UTC.'),
  matches_per_day: limit('Matches a day', 'When it is reached, the rules are paused until midnight UTC.'),
  stored_bytes: limit('Bytes of stored matches', 'When it is reached, the rules are paused until matches have gone.'),
  x_rules: limit('Rules on X posts', 'No further rule can be created there. Delete one, or ask the operator for more.'),
  firehose_rules: limit(
    'Rules on web pages',
    'No further rule can be created there. Delete one, or ask the operator for more.',
  ),
  x_budget: limit(
    'Budget for X posts in a month',
    'When it is spent, rules on X posts are paused until the next month.',
  ),
  upstream_rules: limit(
    'Rules at the platform',
    'The platform takes no further rule. The operator needs a larger plan.',
  ),
  sources: limit('Sources', 'No further source can be added. Delete one.'),
  source_fetches_per_hour: limit(
    'Fetches of sources an hour',
    'When it is reached, the sources are paused until the next hour. Visit some less often, or pause one.',
  ),
  source_bytes_per_day: limit(
    'Bytes that sources fetch a day',
    'When it is reached, the sources are paused until midnight UTC.',
  ),
  source_interval_seconds: limit(
    'Shortest time between two visits, in seconds',
    'A source cannot be visited more often.',
  ),
  keys: limit('Keys', 'No further key can be created. Revoke one.'),
  views: limit('Saved views', 'No further view can be saved. Delete one.'),
  webhooks: limit('Webhooks', 'No further webhook can be created. Delete one.'),
  connected_agents: limit('Connected agents', 'No further agent can be connected. Disconnect one.'),
  subscriptions: limit('Subscriptions of agents', 'No agent can subscribe to more. End one.'),
  subscriptions_per_agent: limit('Subscriptions of one agent', 'The agent cannot subscribe to more.'),
  challenges: limit(
    'Proofs asked of one host a minute',
    'Further receivers there are refused until the minute is over.',
  ),
  mail_confirmations: limit(
    'Mails a day that ask a recipient to agree',
    'Further recipients are asked from tomorrow on.',
  ),
  idempotency_keys: limit(
    'Requests made safe to repeat, in 24 hours',
    'Further requests with an Idempotency-Key are refused.',
  ),
  streams: limit('Open streams', 'No further stream can be opened. Close one, or ask the operator for more.'),
  feeds: limit('Feeds', 'No further feed can be created. Delete one.'),
  feed_requests: limit('Requests of one feed address a minute', 'Readers that ask more often are refused for a while.'),
  rehearsals: limit('Trials on history that wait or run', 'Further ones are refused until one is done.'),
  exports: limit('Exports at a time', 'Further exports are refused until one ends.'),
  waits: limit('Requests that wait for matches', 'Further ones are refused until one is answered.'),
  silences: limit('Muted', 'Nothing further can be muted until one of them ends.'),
  previews_waiting: limit('Previews that wait', 'Further previews are refused until one is answered.'),
} as const satisfies Record<Limit['code'], Shown>;

function limit(words: string, about: string) {
  return { words, tone: 'neutral', about } as const;
}

const NEARLY = 0.9;

/** How much of a limit is used. A limit that is not counted, or that is off, is never near. */
export function limitTone({ limit: most, used }: Limit): 'neutral' | 'warn' | 'bad' {
  if (most === null || used === null || used < most * NEARLY) return 'neutral';
  return used >= most ? 'bad' : 'warn';
}
