/** Before anything else goes to an address, what listens there proves that it wants the events. */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { sendSigned } from '../../delivery/webhooks/attempts.ts';
import type { Sent } from '../../delivery/webhooks/outcome.ts';
import type { AgentsRoom } from './room.ts';

/** Nothing else of what an address answers leaves us. */
export type ReceiverProblem =
  | 'challenge_failed'
  | 'http_4xx'
  | 'http_5xx'
  | 'timeout'
  | 'connection_refused'
  | 'tls_error';

/** A subscriber waits for our answer meanwhile. */
const PATIENCE_MS = 8_000;
const CHALLENGE_BYTES = 24;

export interface NewReceiver {
  readonly url: string;
  readonly secret: string;
  readonly subscriptionId: string;
}

/** Returns undefined when the receiver answered with the challenge. */
export async function verifyReceiver(
  { send, clock, settings }: Pick<AgentsRoom, 'send' | 'clock' | 'settings'>,
  { url, secret, subscriptionId }: NewReceiver,
  signal: AbortSignal,
): Promise<ReceiverProblem | undefined> {
  const challenge = randomBytes(CHALLENGE_BYTES).toString('base64url');
  const ended = new AbortController();
  const late = new AbortController();
  void clock.sleep(PATIENCE_MS, ended.signal).then(() => late.abort());
  const message = {
    id: `msg_verification_${randomBytes(8).toString('hex')}`,
    at: clock.now(),
    body: JSON.stringify({ type: 'verification', challenge }),
  };
  const sent = await sendSigned(
    { send, version: settings.version },
    { url, format: 'mcp', subscription: { id: subscriptionId } },
    message,
    [secret],
    AbortSignal.any([signal, late.signal]),
  );
  ended.abort();
  return receiverProblem(sent) ?? (hasChallenge(sent.response, challenge) ? undefined : 'challenge_failed');
}

const TLS_CODE = /^(?:ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|HOSTNAME_|EPROTO)/;

/** The category of a failed attempt. */
export function receiverProblem({ statusCode, error, overloaded, code = '' }: Sent): ReceiverProblem | undefined {
  if (error === undefined) return undefined;
  if (statusCode === undefined) {
    if (overloaded || code === 'ABORT_ERR') return 'timeout';
    return TLS_CODE.test(code) ? 'tls_error' : 'connection_refused';
  }
  if (statusCode < 400) return 'challenge_failed';
  return statusCode < 500 ? 'http_4xx' : 'http_5xx';
}

function hasChallenge(response: string, challenge: string): boolean {
  let answer: unknown;
  try {
    answer = JSON.parse(response);
  } catch {
    return false;
  }
  if (typeof answer !== 'object' || answer === null || !('challenge' in answer)) return false;
  if (typeof answer.challenge !== 'string') return false;
  const [given, wanted] = [Buffer.from(answer.challenge), Buffer.from(challenge)];
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
