/** The two kinds of sending: an attempt of a delivery that is owed, and a test that somebody asked for. */
import type { Clock } from '../../base/clock.ts';
import { newId } from '../../base/ids.ts';
import type { Match } from '../../domain/match.ts';
import type { Attempt, Webhook } from '../../domain/webhook.ts';
import { type Encode, testBody } from './formats.ts';
import type { Sent } from './outcome.ts';
import type { Seal } from './seal.ts';
import type { Send } from './sender.ts';
import { signedHeaders } from './signature.ts';

export interface AttemptDeps {
  readonly clock: Clock;
  readonly send: Send;
  readonly seal: Seal;
  /** Of this program, for the receiver's log. */
  readonly version: string;
}

export const UNREADABLE_SECRET = 'Its signing secret cannot be read on this server; rotate it.';

/** Signs and sends; the signature is of this moment, the id and the bytes are the delivery's own. */
export async function attempt(
  { clock, send, seal, version }: AttemptDeps,
  webhook: Webhook,
  delivery: { readonly id: string; readonly body: string },
  signal: AbortSignal,
): Promise<{ sent: Sent; attempt: Attempt }> {
  const at = clock.now();
  const secrets = secretsOf(webhook, seal, at);
  const sent =
    secrets === undefined
      ? { statusCode: undefined, error: UNREADABLE_SECRET, response: '', overloaded: false, retryAfter: undefined }
      : await send({
          url: webhook.url,
          body: delivery.body,
          signal,
          headers: {
            'content-type': 'application/json',
            'user-agent': `Sluice/${version}`,
            ...signedHeaders(secrets, { ...delivery, at }),
          },
        });
  const { statusCode, error, response } = sent;
  const milliseconds = clock.now().getTime() - at.getTime();
  return { sent, attempt: { at, milliseconds, statusCode, error, response } };
}

/** The current secret, and the one before while it still counts. */
function secretsOf({ secrets }: Webhook, seal: Seal, now: Date): string[] | undefined {
  const current = seal.unseal(secrets.current);
  if (current === undefined) return undefined;
  const isBoth = secrets.previous !== undefined && secrets.previousUntil !== undefined && now < secrets.previousUntil;
  const previous = isBoth ? seal.unseal(secrets.previous) : undefined;
  return previous === undefined ? [current] : [current, previous];
}

/** Sent once, at once, and kept nowhere. */
export async function sendTest(
  deps: AttemptDeps & { readonly encode: Encode },
  webhook: Webhook,
  sample: Match,
  signal: AbortSignal,
): Promise<Attempt> {
  const delivery = { id: newId('dlv', deps.clock.now()), body: testBody(webhook, sample, deps.encode) };
  return (await attempt(deps, webhook, delivery, signal)).attempt;
}
