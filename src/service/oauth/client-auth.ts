/** Which client calls the token endpoint, and whether it is that one. */
import { isDocumentId } from './client-document.ts';
import type { OAuthParts } from './clients.ts';
import { OAuthError } from './oauth-error.ts';
import { areEqualSecrets, secretDigest } from './secrets.ts';

export interface ClientCredentials {
  readonly id: string;
  readonly secret: string | undefined;
  /** It registered here. Others are known by the address of their document. */
  readonly isRegistered: boolean;
}

/** From the header (RFC 6749, 2.3.1) or from the form. */
export function credentialsIn(header: string | undefined, form: ReadonlyMap<string, string>): ClientCredentials {
  const basic = /^Basic ([A-Za-z0-9+/=]{1,4096})$/i.exec(header ?? '')?.[1];
  if (header !== undefined && basic === undefined) throw refused();
  const [id, secret] =
    basic === undefined ? [form.get('client_id'), form.get('client_secret')] : readBasic(basic, form.get('client_id'));
  if (id === undefined || id === '') throw new OAuthError('invalid_request', 'client_id is missing.');
  return { id, secret, isRegistered: !isDocumentId(id) };
}

function readBasic(encoded: string, inForm: string | undefined): [string, string] {
  const [id, ...rest] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
  try {
    const decoded = (text: string) => decodeURIComponent(text.replaceAll('+', ' '));
    const pair: [string, string] = [decoded(id ?? ''), decoded(rest.join(':'))];
    if (inForm === undefined || inForm === pair[0]) return pair;
  } catch {
    // Not percent-encoded as it should be.
  }
  throw refused();
}

const refused = (): OAuthError =>
  new OAuthError(
    'invalid_client',
    'The client is not registered here any more, or its secret is wrong. Register again.',
  );

/** The document of a client is not read again here: its code and its grant have what is needed. */
export async function checkClient({ store, clock }: OAuthParts, credentials: ClientCredentials): Promise<void> {
  if (!credentials.isRegistered) return;
  const client = await store.client(credentials.id, clock.now());
  if (client === undefined) throw refused();
  if (client.secretDigest === undefined) return;
  if (!areEqualSecrets(client.secretDigest, secretDigest(credentials.secret ?? ''))) throw refused();
}
