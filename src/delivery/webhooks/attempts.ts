/** The two kinds of sending: an attempt of a delivery that is owed, and a test that a caller asked for. */
import type { Clock } from '../../base/clock.ts';
import { newId } from '../../base/ids.ts';
import type { Match } from '../../domain/match.ts';
import type { Attempt, Webhook } from '../../domain/webhook.ts';
import { withoutAddress } from './addresses.ts';
import { type Encode, testBody } from './formats.ts';
import type { Sent } from './outcome.ts';
import type { Seal } from './seal.ts';
import { signedHeaders } from './signature.ts';
import { failedToSend, refusedForGood, type Send } from './transport.ts';
import { WIRES, type Wire } from './wires.ts';

export interface AttemptDeps {
  readonly clock: Clock;
  readonly send: Send;
  readonly seal: Seal;
  /** The version of this program, for the receiver's log. */
  readonly version: string;
}

export const UNREADABLE_SECRET = "This server cannot read the webhook's signing secret. Rotate the secret.";

export const UNREADABLE_CREDENTIAL =
  "This server cannot read the webhook's credential. Give it again with Update Webhook.";

/** Nobody noted for which kind of receiver it was written, or something is wrong with its bytes. */
const UNSENDABLE = 'The delivery cannot be sent as it is written. It may be for another kind of receiver.';

/** Signs and sends. The signature is of this moment; the id and the bytes are the delivery's own. Never rejects. */
export async function attempt(
  deps: AttemptDeps,
  webhook: Webhook,
  delivery: { readonly id: string; readonly body: string },
  signal: AbortSignal,
): Promise<{ sent: Sent; attempt: Attempt }> {
  const [at, began] = [deps.clock.now(), deps.clock.elapsed()];
  const secrets = secretsOf(webhook, deps.seal, at);
  const credential = webhook.credential === undefined ? '' : deps.seal.unseal(webhook.credential);
  const sent =
    secrets === undefined || credential === undefined
      ? failedToSend(secrets === undefined ? UNREADABLE_SECRET : UNREADABLE_CREDENTIAL)
      : await sendSigned(
          deps,
          { ...webhook, webhook },
          { ...delivery, at, ...(credential !== '' && { credential }) },
          secrets,
          signal,
        ).catch(() => refusedForGood(UNSENDABLE));
  const { statusCode, error, response } = sent;
  const milliseconds = Math.round(deps.clock.elapsed() - began);
  return { sent, attempt: { at, milliseconds, statusCode, error, response } };
}

type Addressed = Pick<Webhook, 'url' | 'format'> & {
  /** The webhook, where the address belongs to one. */
  readonly webhook?: Webhook;
  /** The subscription's id, for agents that tell their subscriptions apart by it. */
  readonly subscription?: { readonly id: string } | undefined;
};

export async function sendSigned(
  { send, version }: Pick<AttemptDeps, 'send' | 'version'>,
  { url, format, subscription, webhook }: Addressed,
  delivery: { readonly id: string; readonly body: string; readonly at: Date; readonly credential?: string },
  secrets: readonly string[],
  signal: AbortSignal,
): Promise<Sent> {
  const { id, at, credential } = delivery;
  const wire = WIRES[format];
  const request = wire.request({ url, id, body: delivery.body, credential });
  const sent = await send({
    ...request,
    id,
    signal,
    credential,
    ...(webhook !== undefined && { webhook }),
    headers: {
      ...request.headers,
      'user-agent': `Sluice/${version}`,
      ...(wire.isSigned && signedHeaders(secrets, { id, at, body: request.body })),
      ...(subscription !== undefined && { 'x-mcp-subscription-id': subscription.id }),
    },
  });
  return withoutSecrets(withHint(sent, wire), url, credential);
}

/** A service may ask for time in the text of its answer. What it says there is closer than the header. */
function withHint(sent: Sent, { retryAfter }: Wire): Sent {
  const asked = sent.error === undefined ? undefined : retryAfter?.(sent.response);
  return asked === undefined ? sent : { ...sent, retryAfter: asked };
}

/** A receiver that repeats what it was sent must not bring the credential or the address into the list of deliveries. */
function withoutSecrets(sent: Sent, url: string, credential = ''): Sent {
  const hidden = (text: string): string =>
    withoutAddress(credential === '' ? text : text.replaceAll(credential, '***'), url);
  return { ...sent, response: hidden(sent.response), ...(sent.error !== undefined && { error: hidden(sent.error) }) };
}

/**
 * The current secret, and the previous one while it is still valid. Returns undefined when the current one cannot be
 * read.
 */
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
