/** The two kinds of sending: an attempt of a delivery that is owed, and a test that a caller asked for. */
import type { Clock } from '../../base/clock.ts';
import { newId } from '../../base/ids.ts';
import type { Match } from '../../domain/match.ts';
import type { Attempt, Webhook } from '../../domain/webhook.ts';
import { type Encode, testBody } from './formats.ts';
import type { Sent } from './outcome.ts';
import type { Seal } from './seal.ts';
import { failedToSend, type Send } from './sender.ts';
import { signedHeaders } from './signature.ts';

export interface AttemptDeps {
  readonly clock: Clock;
  readonly send: Send;
  readonly seal: Seal;
  /** The version of this program, for the receiver's log. */
  readonly version: string;
}

export const UNREADABLE_SECRET = "This server cannot read the webhook's signing secret. Rotate the secret.";

/** Signs and sends. The signature is of this moment; the id and the bytes are the delivery's own. Never rejects. */
export async function attempt(
  deps: AttemptDeps,
  webhook: Webhook,
  delivery: { readonly id: string; readonly body: string },
  signal: AbortSignal,
): Promise<{ sent: Sent; attempt: Attempt }> {
  const at = deps.clock.now();
  const secrets = secretsOf(webhook, deps.seal, at);
  const sent =
    secrets === undefined
      ? failedToSend(UNREADABLE_SECRET)
      : await sendSigned(deps, webhook, { ...delivery, at }, secrets, signal);
  const { statusCode, error, response } = sent;
  const milliseconds = deps.clock.now().getTime() - at.getTime();
  return { sent, attempt: { at, milliseconds, statusCode, error, response } };
}

/** `subscription`: where an agent tells its subscriptions by their ids. */
export const sendSigned = (
  { send, version }: Pick<AttemptDeps, 'send' | 'version'>,
  { url, subscription }: { readonly url: string; readonly subscription?: { readonly id: string } | undefined },
  delivery: { readonly id: string; readonly body: string; readonly at: Date },
  secrets: readonly string[],
  signal: AbortSignal,
): Promise<Sent> =>
  send({
    url,
    body: delivery.body,
    signal,
    headers: {
      'content-type': 'application/json',
      'user-agent': `Sluice/${version}`,
      ...signedHeaders(secrets, delivery),
      ...(subscription !== undefined && { 'x-mcp-subscription-id': subscription.id }),
    },
  });

/** The current secret, and the previous one while it is still valid. Undefined when the current one cannot be read. */
function secretsOf({ secrets }: Webhook, seal: Seal, now: Date): string[] | undefined {
  const current = seal.unseal(secrets.current);
  if (current === undefined) return undefined;
  const isBoth = secrets.previous !== undefined && secrets.previousUntil !== undefined && now < secrets.previousUntil;
  const previous = isBoth ? seal.unseal(secrets.previous) : undefined;
  return previous === undefined ? [current] : [current, previous];
}

/** Sends a sample match once, at once. Nothing of it is stored. */
export async function sendTest(
  deps: AttemptDeps & { readonly encode: Encode },
  webhook: Webhook,
  sample: Match,
  signal: AbortSignal,
): Promise<Attempt> {
  const delivery = { id: newId('dlv', deps.clock.now()), body: testBody(webhook, sample, deps.encode) };
  return (await attempt(deps, webhook, delivery, signal)).attempt;
}
