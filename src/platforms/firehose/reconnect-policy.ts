/** The consequences of a disconnect: the state, the cause of the gap, the wait, and whether resuming repairs it. */
import { doubling, jittered, type Ladder } from '../pace.ts';
import type { StreamCounter, StreamState } from '../platform.ts';
import type { Lost, Refusal } from './connection.ts';
import { saysNoRules } from './wire.ts';

export type Disconnect =
  /** At its timeout, as announced: nothing is wrong. */
  | { readonly kind: 'ended' }
  | { readonly kind: Lost }
  /** The first events after an outage show that the buffer does not reach back to its beginning. */
  | { readonly kind: 'aged' }
  | { readonly kind: 'error'; readonly message: string }
  | ({ readonly kind: 'refused' } & Refusal)
  | { readonly kind: 'unreachable'; readonly message: string };

/** The causes of gaps in the stream. */
export type FirehoseCause =
  | 'disconnected'
  | 'stalled'
  | 'slow store'
  | 'aged out'
  | 'no rules'
  | 'upstream error'
  | 'unreachable'
  | 'auth'
  | 'billing'
  | 'quota';

export interface Consequence {
  readonly counter: StreamCounter | undefined;
  readonly state: StreamState;
  readonly reason?: string;
  readonly cause: FirehoseCause;
  readonly waitMs: number;
  /** The event that may end the wait early. */
  readonly until?: 'token' | 'rule';
  /** Firehose did not watch meanwhile: resuming does not bring anything back. */
  readonly isFinal?: boolean;
  /** Firehose refused the resume: ask for less next time. */
  readonly weaken?: boolean;
}

const AFTER_DROP = doubling(1_000, 60_000);
const AFTER_ERROR = doubling(5_000, 320_000);
const AFTER_LIMIT = doubling(10_000, 300_000);
const BILLING_MS = 15 * 60_000;
const AUTH_MS = 5 * 60_000;
/** A longer wait that Firehose states is cut to this. */
const LONGEST_RETRY_S = 3_600;

/** The wait that the stream asked for, from 0.5 to 30 s. */
const clampRetry = (retry: number | undefined): number =>
  retry === undefined ? 0 : Math.min(Math.max(retry, 500), 30_000);

export interface Circumstances {
  /** How many failures in a row, this one included. */
  readonly failures: number;
  readonly random: () => number;
  /** The wait before reconnecting that the stream asked for, in milliseconds. */
  readonly retry: number | undefined;
}

/** Returns undefined if nothing went wrong. */
export function consequenceOf(
  disconnect: Disconnect,
  { failures, random, retry }: Circumstances,
): Consequence | undefined {
  const wait = (ladder: Ladder): number => jittered(ladder(failures), random);
  switch (disconnect.kind) {
    case 'ended':
      return undefined;
    case 'dropped': {
      const waitMs = Math.max(wait(AFTER_DROP), clampRetry(retry));
      return { counter: 'disconnect', state: 'connecting', cause: 'disconnected', waitMs };
    }
    case 'stalled':
      return { counter: 'stall', state: 'stalled', cause: 'stalled', waitMs: 0 };
    case 'unread':
      return { counter: 'disconnect', state: 'connecting', cause: 'slow store', waitMs: 0 };
    case 'aged':
      return { counter: undefined, state: 'connecting', cause: 'aged out', waitMs: 0, isFinal: true };
    case 'error':
      return saysNoRules(disconnect.message)
        ? { ...degraded('no rules'), waitMs: wait(AFTER_ERROR), until: 'rule', isFinal: true }
        : { ...degraded('upstream error'), reason: disconnect.message, waitMs: wait(AFTER_ERROR) };
    case 'unreachable':
      return { ...degraded('unreachable'), reason: disconnect.message, waitMs: wait(AFTER_DROP) };
    case 'refused':
      return afterRefusal(disconnect, wait);
  }
}

const degraded = (cause: FirehoseCause) => ({ counter: 'refused', state: 'degraded', reason: cause, cause }) as const;

function afterRefusal({ status, message, retryAfter = 0 }: Refusal, wait: (ladder: Ladder) => number): Consequence {
  const asked = Math.min(retryAfter, LONGEST_RETRY_S) * 1_000;
  switch (status) {
    case 401:
    case 403:
    case 404:
      return { ...degraded('auth'), waitMs: AUTH_MS, until: 'token' };
    case 402:
      return { ...degraded('billing'), waitMs: BILLING_MS };
    case 429:
      return { ...degraded('quota'), waitMs: Math.max(wait(AFTER_LIMIT), asked) };
    case 400:
    case 410:
    case 416:
    case 422:
      return { ...degraded('upstream error'), reason: message, waitMs: wait(AFTER_ERROR), weaken: true };
    default:
      return { ...degraded('unreachable'), reason: `status ${status}`, waitMs: Math.max(wait(AFTER_DROP), asked) };
  }
}
