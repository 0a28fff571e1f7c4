/**
 * The limits of each format's receiver: how many matches in a delivery, how many deliveries at a time, and how often.
 */
import type { Webhook, WebhookFormat } from '../../domain/webhook.ts';
import { isSink } from './sinks/sink-address.ts';

export interface FormatPolicy {
  /** Matches in one delivery at most. A delivery may end earlier, where the text would be too long. */
  readonly matches: number;
  /** Deliveries under way at a time; chats take one after the other. */
  readonly inFlight: number;
  /** Milliseconds from one delivery to the next at least. Matches that come meanwhile share the next one. */
  readonly pace: number;
  /** Payload in one delivery at most, unless its first match alone is larger. */
  readonly bytes: number;
}

const MIB = 1024 * 1024;

/** Without `bytes` it is one MiB: no JSON body holds more. */
const FORMATS: Readonly<Record<WebhookFormat, Omit<FormatPolicy, 'bytes'> & Partial<FormatPolicy>>> = {
  json: { matches: 100, inFlight: 4, pace: 0 },
  slack: { matches: 20, inFlight: 1, pace: 0 },
  discord: { matches: 10, inFlight: 1, pace: 0 },
  // 20 messages a minute in a group, and one a second in any chat.
  telegram: { matches: 10, inFlight: 1, pace: 3_000 },
  // 60 requests at once, and one more every five seconds.
  ntfy: { matches: 10, inFlight: 1, pace: 5_000 },
  // Four requests a second.
  teams: { matches: 10, inFlight: 1, pace: 1_000 },
  matrix: { matches: 20, inFlight: 1, pace: 1_000 },
  email: { matches: 50, inFlight: 1, pace: 10_000 },
  cloudevents: { matches: 1, inFlight: 4, pace: 0 },
  'cloudevents-binary': { matches: 1, inFlight: 4, pace: 0 },
  'cloudevents-batch': { matches: 100, inFlight: 4, pace: 0 },
  // So many matches take some 30 ms to write as Parquet.
  ndjson: { matches: 2_000, inFlight: 1, pace: 0, bytes: 4 * MIB },
  parquet: { matches: 2_000, inFlight: 1, pace: 0, bytes: 4 * MIB },
  mcp: { matches: 1, inFlight: 4, pace: 0 },
  // It counts its matches and shows one of them, so many fit.
  wake: { matches: 2_000, inFlight: 1, pace: 0, bytes: 4 * MIB },
  a2a: { matches: 2_000, inFlight: 1, pace: 0, bytes: 4 * MIB },
};

/** A record for each match: they are written together, one delivery after the other, so that a rule's matches stay in order. */
const SINK = { matches: 100, inFlight: 1, pace: 0 };

export const policyOf = ({ format, url }: Pick<Webhook, 'format'> & Partial<Pick<Webhook, 'url'>>): FormatPolicy => ({
  bytes: MIB,
  ...(isSink(url) ? SINK : FORMATS[format]),
});
