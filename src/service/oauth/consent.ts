/** The person's decision: what the page shows, and what follows from the answer. */
import { newId } from '../../base/ids.ts';
import { GRANT_SCOPES, type Grant, type GrantScope } from '../../domain/account.ts';
import type { Caller } from '../access/caller.ts';
import { byCaller, changeNote, grantFields } from '../access/change-notes.ts';
import { ServiceError } from '../errors.ts';
import { limitReached, MAX_GRANTS } from '../limits.ts';
import { type OAuthAddress, redirectPlace } from './addresses.ts';
import {
  type AuthorizeRequest,
  clientIdIn,
  errorRedirect,
  type RefusedRequest,
  readAuthorizeRequest,
  redirectWith,
} from './authorize-request.ts';
import type { OAuthParts } from './clients.ts';
import { OAuthError } from './oauth-error.ts';
import { newCode, newConsentToken, secretDigest } from './secrets.ts';
import { CLIENT_MS } from './tokens.ts';

/** The person has this long to decide. */
const CONSENT_MS = 10 * 60 * 1_000;
const CODE_MS = 60 * 1_000;
const GRANT_MS = 365 * 24 * 60 * 60 * 1_000;
export const MAX_RULES_OF_GRANT = 50;

/** The page of consent shows this to the person. */
export interface ConsentView {
  readonly account: string;
  readonly client: { readonly name: string; readonly host: string | undefined };
  readonly redirect: { readonly host: string; readonly isThisComputer: boolean };
  readonly scopes: readonly GrantScope[];
  readonly expiresAt: Date;
  /** Belongs to this session and this request, and is taken once. */
  readonly token: string;
}

/** The one who decides: a person in the console, with a key that may change things. */
export interface Decider {
  readonly caller: Caller;
  readonly session: string;
}

export interface Decision {
  readonly token: string;
  readonly allow: boolean;
  readonly scopes: readonly GrantScope[];
  /** It is undefined when the grant is for all rules. */
  readonly ruleIds: readonly string[] | undefined;
}

type Read = AuthorizeRequest | RefusedRequest | { readonly redirect: string };

/** Reads the request as it stands now: a redirect_uri that its document no longer names is refused. */
async function readRequest({ clients }: OAuthParts, address: OAuthAddress, raw: string): Promise<Read> {
  const query = new URLSearchParams(raw);
  const id = clientIdIn(query);
  if (typeof id !== 'string') return id;
  const client = await clients.find(id);
  return 'problem' in client ? client : readAuthorizeRequest(address, client, query);
}

export async function askPerson(
  parts: OAuthParts,
  address: OAuthAddress,
  decider: Decider,
  raw: string,
): Promise<ConsentView | RefusedRequest | { readonly redirect: string }> {
  const request = await readRequest(parts, address, raw);
  if (!('challenge' in request)) return request;
  const { client, redirectUri, scopes } = request;
  const now = parts.clock.now();
  const token = newConsentToken();
  await parts.store.addPass({
    digest: passOf(token, decider, raw),
    accountId: decider.caller.account.id,
    keyId: decider.caller.key.id,
    endsAt: new Date(now.getTime() + CONSENT_MS),
    usedAt: now,
  });
  return {
    account: decider.caller.account.name,
    client: { name: client.name, host: client.isVerified ? new URL(client.id).host : undefined },
    redirect: redirectPlace(redirectUri),
    scopes,
    expiresAt: new Date(now.getTime() + GRANT_MS),
    token,
  };
}

/** The address that the browser goes to with the answer. */
export async function decide(
  parts: OAuthParts,
  address: OAuthAddress,
  decider: Decider,
  raw: string,
  decision: Decision,
): Promise<{ readonly redirect: string }> {
  if ((await parts.store.takePass(passOf(decision.token, decider, raw), parts.clock.now())) === undefined)
    throw new ServiceError('failed_precondition', 'This page is no longer valid. Connect the agent again.');
  const request = await readRequest(parts, address, raw);
  if ('redirect' in request) return request;
  if ('problem' in request) throw new ServiceError('failed_precondition', request.problem);
  if (!decision.allow) {
    const denied = new OAuthError('access_denied', 'The person did not allow it.');
    return { redirect: errorRedirect(address, request, denied) };
  }
  const code = await addGrant(parts, address, decider, request, decision);
  return { redirect: redirectWith(address, request, { code }) };
}

/** Bound to the session and to every character of the request: no other page and no other request can use it. */
const passOf = (token: string, { session }: Decider, raw: string): string =>
  `consent ${secretDigest(JSON.stringify([token, session, raw]))}`;

async function addGrant(
  { store, clock }: OAuthParts,
  { resource }: OAuthAddress,
  { caller, session }: Decider,
  { client, redirectUri, challenge, scopes: asked }: AuthorizeRequest,
  { scopes: chosen, ruleIds }: Decision,
): Promise<string> {
  const { account } = caller;
  const now = clock.now();
  const scopes = GRANT_SCOPES.filter((scope) => chosen.includes(scope) && (scope === 'read' || asked.includes(scope)));
  if (scopes.length === 0) throw new ServiceError('invalid_argument', 'Choose at least one thing that it may do.');
  for (const id of ruleIds ?? [])
    if ((await store.rule(account.id, id)) === undefined)
      throw new ServiceError('invalid_argument', 'One of the chosen rules is gone. Load the page again.');
  const code = newCode();
  const grant: Grant = {
    id: newId('grant', now),
    accountId: account.id,
    clientId: client.id,
    clientName: client.name,
    redirectUri,
    resource,
    scopes,
    // An agent's matches are read rule by rule: a rule that is named twice would be read twice.
    ruleIds: ruleIds && [...new Set(ruleIds)],
    createdAt: now,
    lastUsedAt: undefined,
    endsAt: new Date(now.getTime() + CODE_MS),
    expiresAt: new Date(now.getTime() + GRANT_MS),
  };
  const by = byCaller({ ...caller, session });
  const note = changeNote(now, by, 'grant.created', grant.id, { after: grantFields(grant) });
  if (!(await store.addGrant(grant, { digest: secretDigest(code), challenge }, note, MAX_GRANTS)))
    throw limitReached('connected_agents', `The account has ${MAX_GRANTS} connected agents, which is the limit.`, {
      details: { limit: MAX_GRANTS },
    });
  if (!client.isVerified) await store.keepClient(client.id, new Date(now.getTime() + CLIENT_MS));
  return code;
}
