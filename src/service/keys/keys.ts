/** Create Key, List Keys and Revoke Key. */

import { z } from 'zod';
import { type Key, SCOPES } from '../../domain/account.ts';
import { byCaller, changeNote, keyFields } from '../access/change-notes.ts';
import { addKey, isOperator } from '../access/keys.ts';
import { invalidArgument, ServiceError } from '../errors.ts';
import { MAX_KEYS } from '../limits.ts';
import { instant, time, visibleName } from '../shapes.ts';
import { operation } from './room.ts';

export const listedKey = z.object({
  id: z.string(),
  name: z.string(),
  scope: z.enum(SCOPES),
  last_four: z.string(),
  created_at: time,
  last_used_at: time.nullable().describe('To the hour.'),
  expires_at: time.nullable(),
});

const exampleKey: z.input<typeof listedKey> = {
  id: 'key_01k3zqa1b2c3d4e5f6g7h8j9k0',
  name: 'dashboard',
  scope: 'read',
  last_four: 'x8Qz',
  created_at: '2026-11-15T08:30:00.123Z',
  last_used_at: null,
  expires_at: null,
};

const keyToJson = (key: Key): z.input<typeof listedKey> => ({
  id: key.id,
  name: key.name,
  scope: key.scope,
  last_four: key.lastFour,
  created_at: key.createdAt.toISOString(),
  last_used_at: key.lastUsedAt?.toISOString() ?? null,
  expires_at: key.expiresAt?.toISOString() ?? null,
});

export const createKey = operation({
  name: 'createKey',
  summary: 'Create an API key',
  description:
    'Creates a key for the account and returns it; it is shown only here. A `full` key may do everything, a `read` key changes nothing. An `ingest` key pushes events that reach every account; only the operator can create one.',
  access: 'full',
  input: z.strictObject({
    name: visibleName(1, 200),
    scope: z.enum(SCOPES).default('full'),
    expires_at: instant.optional(),
  }),
  output: z.object({ key: z.string().describe('The key. Sluice does not store it.'), ...listedKey.shape }),
  example: {
    input: { name: 'dashboard', scope: 'read' },
    output: { key: 'sk_…', ...exampleKey },
  },
  async run({ store, clock }, caller, { name, scope, expires_at }) {
    const accountId = caller.account.id;
    if (scope === 'ingest' && !isOperator(caller)) {
      throw new ServiceError('permission_denied', 'Only the operator can create keys of scope `ingest`.');
    }
    const now = clock.now();
    const expiresAt = expires_at === undefined ? undefined : new Date(expires_at);
    if (expiresAt !== undefined && expiresAt <= now) {
      throw invalidArgument([{ path: 'expires_at', message: 'It must be in the future.' }]);
    }
    const wanted = { accountId, name, scope, expiresAt, limit: MAX_KEYS };
    const { key, secret } = await addKey(store, now, wanted, byCaller(caller));
    return { key: secret, ...keyToJson(key) };
  },
});

export const listKeys = operation({
  name: 'listKeys',
  summary: 'List API keys',
  description: 'The keys of the account, without their secrets.',
  access: 'read',
  input: z.strictObject({}),
  output: z.object({ keys: z.array(listedKey) }),
  example: { input: {}, output: { keys: [exampleKey] } },
  run: async ({ store }, { account }) => ({ keys: (await store.keys(account.id)).map(keyToJson) }),
});

export const revokeKey = operation({
  name: 'revokeKey',
  summary: 'Revoke an API key',
  description: 'The key stops working at once, and its sessions with it. A key may revoke itself.',
  access: 'full',
  input: z.strictObject({ key_id: z.string() }),
  output: z.object({}),
  example: { input: { key_id: exampleKey.id }, output: {} },
  async run({ store, live, clock }, caller, { key_id }) {
    const { id: accountId } = caller.account;
    const key = (await store.keys(accountId)).find(({ id }) => id === key_id);
    const note = key && changeNote(clock.now(), byCaller(caller), 'key.deleted', key_id, { before: keyFields(key) });
    if (!(await store.revokeKey(accountId, key_id, note))) throw new ServiceError('not_found', 'There is no such key.');
    live.endKey(key_id);
    return {};
  },
});
