/** Create Key, List Keys and Revoke Key. */
import { z } from 'zod';
import { type Key, SCOPES } from '../../domain/account.ts';
import { byCaller, changeNote, keyFields } from '../access/change-notes.ts';
import { addKey, isOperator } from '../access/keys.ts';
import { SOON_MS } from '../access/tickets.ts';
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
  async run({ store, live, matchSignals, clock }, caller, { key_id }) {
    const { id: accountId } = caller.account;
    const key = (await store.keys(accountId)).find(({ id }) => id === key_id);
    const note = key && changeNote(clock.now(), byCaller(caller), 'key.deleted', key_id, { before: keyFields(key) });
    if (!(await store.revokeKey(accountId, key_id, note))) throw new ServiceError('not_found', 'There is no such key.');
    live.endKey(key_id);
    // Requests that wait look whether their key still works.
    matchSignals.committedElsewhere([accountId]);
    return {};
  },
});

/** Create Session: signs the console in. */

export const createSession = operation({
  name: 'createSession',
  summary: 'Open a console session',
  description:
    'Returns a token that stands for the calling key. The console keeps it in a cookie. The session ends after twelve hours, after one idle hour, or when the key stops working.',
  access: 'read',
  input: z.strictObject({}),
  output: z.object({ session: z.string(), expires_at: time }),
  example: {
    input: {},
    output: { session: 'q0WmZ3…', expires_at: '2026-11-15T20:30:00.123Z' },
  },
  async run({ sessions }, caller) {
    const { token, endsAt } = await sessions.open(caller);
    return { session: token, expires_at: endsAt.toISOString() };
  },
});

/** Create Stream Ticket: lets a browser open the stream, because it cannot send a key with it. */
export const createStreamTicket = operation({
  name: 'createStreamTicket',
  summary: 'Get a ticket for the stream',
  description:
    'For browsers, which cannot send a key with an event stream: call `GET /matches/stream?ticket=…` within a minute. A ticket works once. To reconnect, get a new ticket and send the last event id as `cursor`.',
  access: 'read',
  input: z.strictObject({}),
  output: z.object({ ticket: z.string(), expires_at: time }),
  example: { input: {}, output: { ticket: 'b7Qm2…', expires_at: '2026-11-15T08:31:00.123Z' } },
  async run({ streamTickets }, caller) {
    const { ticket, endsAt } = await streamTickets.open(caller);
    return { ticket, expires_at: endsAt.toISOString() };
  },
});

/** Create Entry Ticket: a link that signs a browser in, without the key in it. */
export const createEntryTicket = operation({
  name: 'createEntryTicket',
  summary: 'Get a one-time link to the console',
  description:
    'Open `/#/enter?ticket=…` of this server in a browser within a minute: it is signed in as the calling key, with the same rights. A ticket works once. `sluice open` does both. A session of the console cannot get one: it would never end.',
  access: 'read',
  input: z.strictObject({}),
  output: z.object({ ticket: z.string(), expires_at: time }),
  example: { input: {}, output: { ticket: 'enter_b7Qm2…', expires_at: '2026-11-15T08:31:00.123Z' } },
  async run({ entryTickets }, caller) {
    if (caller.session !== undefined)
      throw new ServiceError(
        'permission_denied',
        'A session cannot make a link that opens another one. Use an API key.',
      );
    const { ticket, endsAt } = await entryTickets.open(caller, SOON_MS);
    return { ticket, expires_at: endsAt.toISOString() };
  },
});
