/**
 * The endpoint to which X delivers posts, where it delivers by webhook. It takes no key: a delivery is signed. What is not
 * signed is not looked at, and counts as a wrong secret of its address. 200 means that the delivery is durable.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Context } from '../service/context.ts';
import { ServiceError } from '../service/errors.ts';
import { X_WEBHOOK_PATH } from '../service/upstream/upstreams.ts';
import type { Auth } from './auth.ts';
import { unreadable } from './errors.ts';

/** As long as a record of X's stream may be. */
const DELIVERY_LIMIT = 1024 * 1024;
const SIGNATURE = 'x-twitter-webhooks-signature';
/** Addresses from which signed deliveries came lately. */
const MOST_SENDERS = 1_000;

export async function addXWebhook(app: FastifyInstance, context: Context, auth: Auth): Promise<void> {
  const { webhook } = context.platforms.x;
  if (webhook === undefined) return;
  const senders = new Set<string>();

  async function take(body: Buffer, signature: unknown, sender: string): Promise<void> {
    if ((await webhook!.receive(body, signature)) === 'unsigned')
      throw new ServiceError('unauthenticated', 'The delivery is not signed with the consumer secret of the app.');
    if (senders.size >= MOST_SENDERS) senders.clear();
    senders.add(sender);
  }

  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      '*',
      { parseAs: 'buffer', bodyLimit: DELIVERY_LIMIT },
      async (_: FastifyRequest, body: Buffer) => body,
    );
    scope.addHook('onRequest', async ({ raw, ip }) => {
      // A delivery that breaks off cannot be verified: it is believed of an address that has sent signed ones.
      if (raw.method === 'POST' && senders.has(ip)) raw.once('close', () => raw.complete || webhook.failed());
    });
    scope.get<{ Querystring: { crc_token?: unknown } }>(X_WEBHOOK_PATH, async ({ query }) => {
      const response_token = webhook.respond(query.crc_token);
      if (response_token === undefined)
        throw unreadable('The parameter crc_token is missing, or is no challenge of X.');
      return { response_token };
    });
    scope.post<{ Body: unknown }>(X_WEBHOOK_PATH, async ({ body, headers, ip }) => {
      const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
      await auth.signed({ headers, ip }, take(bytes, headers[SIGNATURE], ip));
      return {};
    });
  });
}
