/** The transports that need a client of their own, or write files: objects, NATS and Kafka. */
import type { Clock } from '../../base/clock.ts';
import {
  CREDENTIAL_FORM,
  objectCredentialProblem,
  readObjectAddress,
  refusalCode,
  signObject,
} from '../../base/object-address.ts';
import type { Egress } from './egress.ts';
import { type ObjectContent, objectContent, testContent } from './objects/object-body.ts';
import type { Sent } from './outcome.ts';
import { createSender } from './sender.ts';
import { createKafkaSink } from './sinks/kafka-sink.ts';
import { createNatsSink } from './sinks/nats-sink.ts';
import { failedToSend, refusedForGood, type Send, sendByScheme } from './transport.ts';

export const createSinkTransports = (deps: { readonly clock: Clock; readonly egress: Egress }): Send =>
  sendByScheme({
    's3:': createS3Transport({ clock: deps.clock, http: createSender(deps) }),
    'nats:': createNatsSink(deps),
    'kafka:': createKafkaSink(deps),
  });

/**
 * Objects in an S3-compatible store as a transport: one PUT for a delivery, signed with the owner's key, over the sender that
 * checks addresses. `If-None-Match: *` stores an object once: where it is there already, an earlier attempt has put it there
 * whose answer was lost.
 */
export const createS3Transport =
  ({ clock, http }: { readonly clock: Clock; readonly http: Send }): Send =>
  async (request) => {
    const { url, body, headers, webhook, credential = '', id = '' } = request;
    if (webhook === undefined || objectCredentialProblem(credential) !== undefined)
      return failedToSend(`Nothing was sent. ${CREDENTIAL_FORM}`);
    let content: ObjectContent;
    try {
      content = body === '' ? testContent(id) : await objectContent(headers['content-type'] ?? '', webhook.id, body);
    } catch {
      return refusedForGood('The delivery was made for another kind of receiver.');
    }
    const { region, prefix, urlOf } = readObjectAddress(url);
    const { key, bytes, type } = content;
    const signed = await signObject(
      {
        method: 'PUT',
        url: urlOf(`${prefix}${key}`),
        headers: { 'content-type': type, 'if-none-match': '*' },
        bytes,
      },
      { credential, region, now: clock.now() },
    );
    return told(
      await http({
        ...request,
        ...signed,
        method: 'PUT',
        bytes,
        headers: { ...signed.headers, 'user-agent': headers['user-agent'] ?? 'Sluice' },
      }),
    );
  };

const ALREADY_THERE = 412;

function told(sent: Sent): Sent {
  if (sent.statusCode === ALREADY_THERE) return { ...sent, error: undefined };
  const code = refusalCode(sent.response);
  if (sent.error === undefined || code === undefined) return sent;
  return {
    ...sent,
    error: sent.error.replace(/\.$/, () => ` (${code}).`),
    overloaded: sent.overloaded || code === 'SlowDown',
  };
}
