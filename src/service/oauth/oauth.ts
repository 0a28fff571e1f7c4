/**
 * OAuth 2.1 for agents: a person allows a program something once, and the program gets tokens for `/mcp`. Tokens are
 * opaque and looked up at every request, so that a grant ends at once when it is revoked.
 */
import { createHmac } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import type { Egress } from '../../delivery/webhooks/egress.ts';
import type { Store } from '../../store/store.ts';
import { type ChangedBy, changeNote, grantFields } from '../access/change-notes.ts';
import type { Log } from '../telemetry.ts';
import { isOff, type OAuthAddress, type OAuthOff, oauthAddress } from './addresses.ts';
import { clientIdIn, type RefusedRequest, readAuthorizeRequest } from './authorize-request.ts';
import { createClients, type OAuthParts, UNKNOWN } from './clients.ts';
import { askPerson, type Decider, type Decision, decide } from './consent.ts';
import { createDocumentFetch } from './fetch-document.ts';
import { registerClient } from './register.ts';
import { credentialsIn } from './secrets.ts';
import { endToken, exchange, type Form } from './tokens.ts';

export interface OAuth {
  readonly address: OAuthAddress | OAuthOff;
  /** Ends a grant with its tokens and everything that is open with them. False when the account has no such grant. */
  revoke(accountId: string, grantId: string, by: ChangedBy): Promise<boolean>;
  /** It is undefined when OAuth is off. */
  readonly endpoints: OAuthEndpoints | undefined;
}

export type OAuthEndpoints = ReturnType<typeof endpointsOf>;

export interface OAuthOptions {
  readonly publicUrl: string | undefined;
  readonly registration: boolean;
}

interface Deps extends OAuthOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly egress: Egress;
  /** The installation's secret, the same on every node. */
  readonly secret: Uint8Array;
  /** A grant or a token of the account has ended: requests that wait look whether theirs still works. */
  onRevoked(accountId: string): void;
}

export function createOAuth(deps: Deps): OAuth {
  const { store, clock, log, egress, secret, onRevoked } = deps;
  const address = oauthAddress(deps.publicUrl);
  const parts: OAuthParts = {
    store,
    clock,
    log,
    clients: createClients({ store, clock, log, fetchDocument: createDocumentFetch({ clock, egress }) }),
    refreshKey: createHmac('sha256', secret).update('oauth refresh tokens').digest(),
    async revoke(accountId, grantId, by) {
      const now = clock.now();
      const grant = (await store.grants(accountId, now)).find(({ id }) => id === grantId);
      const note = grant && changeNote(now, by, 'grant.deleted', grantId, { before: grantFields(grant) });
      const isRevoked = await store.revokeGrant(accountId, grantId, note);
      if (isRevoked) onRevoked(accountId);
      return isRevoked;
    },
    async endAccessToken({ accountId }, digest) {
      await store.endAccessToken(digest);
      onRevoked(accountId);
    },
  };
  const endpoints = isOff(address) ? undefined : endpointsOf(parts, address, deps.registration);
  return { address, revoke: parts.revoke, endpoints };
}

function endpointsOf(parts: OAuthParts, address: OAuthAddress, hasRegistration: boolean) {
  return {
    address,
    /** Whether programs may register by themselves. */
    hasRegistration,
    /** Answers a request as far as it can be before a person has signed in; undefined when it is theirs to decide. */
    async preview(raw: string): Promise<RefusedRequest | { readonly redirect: string } | undefined> {
      const query = new URLSearchParams(raw);
      const id = clientIdIn(query);
      if (typeof id !== 'string') return id;
      const client = await parts.clients.atHand(id);
      if (client === 'unread') return undefined;
      if (client === undefined) return { problem: UNKNOWN };
      const request = readAuthorizeRequest(address, client, query);
      return 'challenge' in request ? undefined : request;
    },
    ask: (decider: Decider, raw: string) => askPerson(parts, address, decider, raw),
    decide: (decider: Decider, raw: string, decision: Decision) => decide(parts, address, decider, raw, decision),
    exchange: async (form: Form, authorization: string | undefined) =>
      exchange(parts, address, form, credentialsIn(authorization, form)),
    end: async (form: Form, authorization: string | undefined) =>
      endToken(parts, form, credentialsIn(authorization, form)),
    register: (body: unknown) => registerClient(parts, body),
  };
}
