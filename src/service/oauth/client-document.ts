/** A client that is known by the https address of a document about it. The document says its name and where it may be answered. */
import { isIP } from 'node:net';
import { z } from 'zod';
import { redirectProblem } from './addresses.ts';

/** A program that asks for a grant. */
export interface OAuthClient {
  readonly id: string;
  readonly name: string;
  readonly redirectUris: readonly string[];
  /** It is undefined when the client has no secret. */
  readonly secretDigest: string | undefined;
  /** Its document was found on its own host. One that registered here says of itself what it likes. */
  readonly isVerified: boolean;
}

const LONGEST_URL = 512;
const LONGEST_NAME = 100;

/** Whether an id is meant as the address of a document. */
export const isDocumentId = (id: string): boolean => /^https:/i.test(id);

/** Why an id is not the address of a document; undefined when it is. */
export function documentUrlProblem(id: string): string | undefined {
  if (id.length > LONGEST_URL) return `The client_id has more than ${LONGEST_URL} characters.`;
  if (!/^https:\/\/[a-z0-9.-]+(:\d{1,5})?\/[A-Za-z0-9\-._~!$&'()*+,;=:@%/?]*$/.test(id) || !URL.canParse(id))
    return 'The client_id is not a plain https address.';
  const { pathname, hostname } = new URL(id);
  if (pathname === '/') return 'The client_id must have a path.';
  if (isIP(hostname) !== 0) return 'The client_id must have a host name, not an IP address.';
  if (/(^|\/)(\.|%2e){1,2}(\/|\?|$)/i.test(id.slice('https://'.length)))
    return 'The client_id must have no . or .. in its path.';
  return undefined;
}

const httpsUrl = z
  .string()
  .max(2_048)
  .regex(/^https:\/\//);
const SHARED_SECRET = ['client_secret_basic', 'client_secret_post', 'client_secret_jwt'];

const document = z.object({
  client_id: z.string(),
  client_name: z.string().min(1).max(1_000),
  redirect_uris: z.array(z.string()).min(1).max(20),
  client_secret: z.undefined({ error: 'must not be there' }).optional(),
  token_endpoint_auth_method: z.string().optional(),
  grant_types: z.array(z.string()).optional(),
  client_uri: httpsUrl.optional(),
  logo_uri: httpsUrl.optional(),
  policy_uri: httpsUrl.optional(),
  tos_uri: httpsUrl.optional(),
});

/** The client of a document, or what is wrong with the document. */
export function readDocument(id: string, value: unknown): OAuthClient | string {
  const parsed = document.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return `Its \`${issue?.path.join('.') ?? ''}\` is wrong: ${issue?.message ?? ''}.`;
  }
  const { client_id, client_name, redirect_uris, token_endpoint_auth_method: method, grant_types } = parsed.data;
  if (client_id !== id) return 'Its client_id is not its own address.';
  if (method !== undefined && SHARED_SECRET.includes(method))
    return 'It asks for a secret, which a document cannot have.';
  if (grant_types !== undefined && !grant_types.includes('authorization_code'))
    return 'It does not ask for authorization codes.';
  const wrong = redirect_uris.find((uri) => redirectProblem(uri) !== undefined);
  if (wrong !== undefined) return `One of its redirect_uris is refused. ${redirectProblem(wrong)}`;
  return { id, name: cleanName(client_name), redirectUris: redirect_uris, secretDigest: undefined, isVerified: true };
}

/** A name as people see it: one line, nothing invisible, nothing that turns the direction of the text around. */
export function cleanName(name: string): string {
  const plain = name
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return Array.from(plain).slice(0, LONGEST_NAME).join('').trim() || 'A program without a name';
}
