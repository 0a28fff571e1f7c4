/**
 * Objects in an S3-compatible store as a transport: one PUT for a delivery, signed with the owner's key, over the sender that
 * checks addresses. `If-None-Match: *` stores an object once: where it is there already, an earlier attempt has put it there
 * whose answer was lost.
 */
import { createHash } from 'node:crypto';
import { AwsV4Signer } from 'aws4fetch';
import type { Clock } from '../../../base/clock.ts';
import type { Sent } from '../outcome.ts';
import { failedToSend, refusedForGood, type Send } from '../transport.ts';
import { readObjectAddress } from './object-address.ts';
import { type ObjectContent, objectContent, testContent } from './object-body.ts';

const CREDENTIAL = /^([^:\s]{1,256}):([^:\s]{1,512})(?::([^:\s]{1,3000}))?$/;
const CREDENTIAL_FORM =
  'The credential must be <access key id>:<secret access key>, and for a temporary key :<session token> after them.';

export const objectCredentialProblem = (credential: string): string | undefined =>
  CREDENTIAL.test(credential) ? undefined : CREDENTIAL_FORM;

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
    const signed = await sign(readObjectAddress(url), content, credential, clock.now());
    return told(
      await http({
        ...request,
        ...signed,
        method: 'PUT',
        bytes: content.bytes,
        headers: { ...signed.headers, 'user-agent': headers['user-agent'] ?? 'Sluice' },
      }),
    );
  };

async function sign(
  { region, prefix, urlOf }: ReturnType<typeof readObjectAddress>,
  { key, bytes, type }: ObjectContent,
  credential: string,
  now: Date,
): Promise<{ url: string; headers: Record<string, string> }> {
  const [, accessKeyId = '', secretAccessKey = '', sessionToken] = CREDENTIAL.exec(credential)!;
  const signer = new AwsV4Signer({
    method: 'PUT',
    url: urlOf(`${prefix}${key}`),
    headers: {
      'content-type': type,
      'if-none-match': '*',
      'x-amz-content-sha256': createHash('sha256').update(bytes).digest('hex'),
    },
    accessKeyId,
    secretAccessKey,
    ...(sessionToken !== undefined && { sessionToken }),
    service: 's3',
    region,
    datetime: now.toISOString().replaceAll(/[-:]|\.\d{3}/g, ''),
  });
  const { url, headers } = await signer.sign();
  return { url: url.href, headers: Object.fromEntries(headers) };
}

const ALREADY_THERE = 412;

function told(sent: Sent): Sent {
  if (sent.statusCode === ALREADY_THERE) return { ...sent, error: undefined };
  const [, code] = /<Code>(\w{1,60})<\/Code>/.exec(sent.response) ?? [];
  if (sent.error === undefined || code === undefined) return sent;
  return {
    ...sent,
    error: sent.error.replace(/\.$/, () => ` (${code}).`),
    overloaded: sent.overloaded || code === 'SlowDown',
  };
}
