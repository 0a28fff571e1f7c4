/** List Grants and Revoke Grant: what people allowed agents. */
import { z } from 'zod';
import { GRANT_SCOPES, type Grant } from '../../domain/account.ts';
import { byCaller } from '../access/change-notes.ts';
import { ServiceError } from '../errors.ts';
import { isOff, redirectPlace } from '../oauth/addresses.ts';
import { isDocumentId } from '../oauth/client-document.ts';
import { time } from '../shapes.ts';
import { operation } from './room.ts';

export const listedGrant = z.object({
  id: z.string(),
  client_id: z.string(),
  client_name: z.string().describe('As the program calls itself.'),
  client_host: z.string().nullable().describe('The host that vouches for the name; null if none does.'),
  redirect_host: z.string().describe('Where the browser went with the answer.'),
  scopes: z.array(z.enum(GRANT_SCOPES)),
  rule_ids: z.array(z.string()).nullable().describe('The rules that the agent is limited to; null for all.'),
  created_at: time,
  last_used_at: time.nullable().describe('To the hour.'),
  ends_at: time.describe('It ends then unless the agent asks for new tokens before.'),
  expires_at: time.describe('It ends then in any case.'),
});

const exampleGrant: z.input<typeof listedGrant> = {
  id: 'grant_01k3zqa1b2c3d4e5f6g7h8j9k0',
  client_id: 'https://claude.ai/oauth/mcp-oauth-client-metadata',
  client_name: 'Claude',
  client_host: 'claude.ai',
  redirect_host: 'claude.ai',
  scopes: ['read', 'full'],
  rule_ids: null,
  created_at: '2026-11-15T08:30:00.123Z',
  last_used_at: '2026-11-15T09:30:00.000Z',
  ends_at: '2026-12-15T08:30:00.123Z',
  expires_at: '2027-11-15T08:30:00.123Z',
};

const grantToJson = (grant: Grant): z.input<typeof listedGrant> => ({
  id: grant.id,
  client_id: grant.clientId,
  client_name: grant.clientName,
  client_host: isDocumentId(grant.clientId) ? new URL(grant.clientId).host : null,
  redirect_host: redirectPlace(grant.redirectUri).host,
  scopes: [...grant.scopes],
  rule_ids: grant.ruleIds === undefined ? null : [...grant.ruleIds],
  created_at: grant.createdAt.toISOString(),
  last_used_at: grant.lastUsedAt?.toISOString() ?? null,
  ends_at: grant.endsAt.toISOString(),
  expires_at: grant.expiresAt.toISOString(),
});

export const listGrants = operation({
  name: 'listGrants',
  summary: 'List connected agents',
  description:
    'The agents that people connected to the account with OAuth, oldest first, and the address that an agent connects to.',
  access: 'read',
  input: z.strictObject({}),
  output: z.object({
    grants: z.array(listedGrant),
    connect_url: z.string().nullable().describe('What an agent is given to connect. Null when OAuth is off.'),
    off_reason: z.string().nullable().describe('Why OAuth is off; null when it is on.'),
  }),
  example: {
    input: {},
    output: { grants: [exampleGrant], connect_url: 'https://sluice.example/mcp', off_reason: null },
  },
  async run({ store, clock, oauth: { address } }, { account }) {
    return {
      grants: (await store.grants(account.id, clock.now())).map(grantToJson),
      connect_url: isOff(address) ? null : address.resource,
      off_reason: isOff(address) ? address.off : null,
    };
  },
});

export const revokeGrant = operation({
  name: 'revokeGrant',
  summary: 'Disconnect an agent',
  description: 'The tokens of the agent stop working at once, and requests of it that wait are ended.',
  access: 'full',
  input: z.strictObject({ grant_id: z.string() }),
  output: z.object({}),
  example: { input: { grant_id: exampleGrant.id }, output: {} },
  async run({ oauth }, caller, { grant_id }) {
    if (await oauth.revoke(caller.account.id, grant_id, byCaller(caller))) return {};
    throw new ServiceError('not_found', 'There is no such grant.');
  },
});
