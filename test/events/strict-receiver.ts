/**
 * A receiver of events over TLS, as strict as the strictest client: it picks the secret by the subscription, verifies the
 * signature itself, refuses unknown shapes, and checks `data` against the schema that was listed.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { z } from 'zod';
import { CERTIFICATE, PRIVATE_KEY } from '../oauth/certificate.ts';

export interface TakenEvent {
  readonly eventId: string;
  readonly name: string;
  readonly timestamp: string;
  readonly data: Record<string, unknown>;
  readonly cursor: string | null;
}

interface Logged {
  readonly id: string;
  readonly subscriptionId: string;
  readonly status: number;
  readonly signatures: number;
  readonly body: string;
}

export interface StrictReceiver extends AsyncDisposable {
  readonly url: string;
  /** By the id of a subscription; before it is known, by nothing. */
  readonly secrets: Map<string, string[]>;
  /** Event by event, as they were accepted. */
  readonly events: TakenEvent[];
  /** Control messages that were taken. */
  readonly control: Record<string, unknown>[];
  /** Every request with what it was answered, and how many signatures it had. */
  readonly log: Logged[];
  /** Answers the next requests with these statuses, without a look at them. */
  readonly statuses: number[];
  /** Answers challenges; undefined is the right way. */
  challenge: ((response: ServerResponse, challenge: string) => void) | undefined;
  payloadSchema: object | undefined;
  takesControl: boolean;
}

export const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

const event = z.strictObject({
  eventId: z.string().min(1).max(1_024),
  name: z.string().max(256),
  timestamp: z.iso.datetime({ offset: true }),
  data: z.record(z.string(), z.unknown()),
  cursor: z.string().max(16_384).nullable(),
});

const LARGEST = 262_144;

export async function openStrictReceiver(): Promise<StrictReceiver> {
  setDefaultCACertificates([...getCACertificates('default'), CERTIFICATE]);
  const server = createServer({ cert: CERTIFICATE, key: PRIVATE_KEY }, (request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('error', () => {});
    request.on('end', () => {
      const body = Buffer.concat(parts);
      const status = take(receiver, request.headers, body, response);
      const signatures = String(request.headers['webhook-signature']).split(' ').length;
      receiver.log.push({
        id: String(request.headers['webhook-id']),
        subscriptionId: String(request.headers['x-mcp-subscription-id']),
        status,
        signatures,
        body: body.toString(),
      });
      // A challenge is answered by who took it.
      if (!isProof(body)) response.writeHead(status).end();
    });
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const receiver: StrictReceiver = {
    url: `https://client.test:${(server.address() as AddressInfo).port}/in?k=5d1f`,
    secrets: new Map(),
    events: [],
    control: [],
    log: [],
    statuses: [],
    challenge: undefined,
    payloadSchema: undefined,
    takesControl: false,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
  return receiver;
}

function take(receiver: StrictReceiver, headers: IncomingHttpHeaders, body: Buffer, response: ServerResponse): number {
  const forced = isProof(body) ? undefined : receiver.statuses.shift();
  if (forced !== undefined) return forced;
  if (headers['content-encoding'] !== undefined || headers['content-type'] !== 'application/json') return 415;
  if (body.length > LARGEST) return 413;
  const id = String(headers['x-mcp-subscription-id']);
  const secrets = receiver.secrets.get(id) ?? receiver.secrets.get('') ?? [];
  if (!secrets.some((secret) => isSigned(secret, headers, body))) {
    if (isProof(body)) response.writeHead(401).end();
    return 401;
  }
  const message = JSON.parse(body.toString()) as Record<string, unknown>;
  if (message['type'] === 'verification') return prove(receiver, String(message['challenge']), response);
  if ('type' in message) {
    if (receiver.takesControl) receiver.control.push(message);
    return receiver.takesControl ? 204 : 400;
  }
  const parsed = event.safeParse(message);
  if (!parsed.success || parsed.data.eventId !== headers['webhook-id']) return 400;
  if (receiver.payloadSchema !== undefined && !fits(receiver.payloadSchema, parsed.data.data)) return 400;
  receiver.events.push(parsed.data);
  return 204;
}

const fits = (schema: object, data: unknown): boolean =>
  z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]).safeParse(data).success;

const isProof = (body: Buffer): boolean => body.includes('"type":"verification"');

function prove({ challenge: answer }: StrictReceiver, challenge: string, response: ServerResponse): number {
  if (answer === undefined)
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ challenge }));
  else answer(response, challenge);
  return response.statusCode;
}

function isSigned(secret: string, headers: IncomingHttpHeaders, body: Buffer): boolean {
  const [id, timestamp] = [String(headers['webhook-id']), String(headers['webhook-timestamp'])];
  const wanted = createHmac('sha256', Buffer.from(secret.slice(6), 'base64'))
    .update(Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]))
    .digest();
  return String(headers['webhook-signature'])
    .split(' ')
    .some((one) => {
      const given = Buffer.from(one.replace(/^v1,/, ''), 'base64');
      return given.length === wanted.length && timingSafeEqual(given, wanted);
    });
}

/** The answer to `events/subscribe` as the strictest client reads it. */
export const strictSubscribed = z.looseObject({
  id: z.string().min(1).max(1_024),
  refreshBefore: z.iso.datetime({ offset: true }),
  cursor: z.string().nullable(),
  truncated: z.boolean(),
});

export const strictList = z.looseObject({
  events: z
    .array(
      z.looseObject({
        name: z.string().max(256),
        description: z.string().max(4_096),
        delivery: z.array(z.enum(['webhook', 'poll', 'push'])).min(1),
        inputSchema: z.record(z.string(), z.unknown()),
        payloadSchema: z.record(z.string(), z.unknown()),
      }),
    )
    .max(1_000),
  nextCursor: z.string().optional(),
});
