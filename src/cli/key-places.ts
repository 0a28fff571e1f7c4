/** `sluice keys` works on the store of this machine, or on a server, with a key of it. */
import type { Answer } from '../../packages/client/src/index.ts';
import type { Key, Scope } from '../domain/account.ts';
import { connectServer } from './connect.ts';

type ListedKey = Answer<'listKeys'>['keys'][number];

interface WantedKey {
  readonly name: string;
  readonly scope: Scope;
  readonly expires?: Date;
}

export interface KeyPlace extends AsyncDisposable {
  create(wanted: WantedKey): Promise<Answer<'createKey'>>;
  list(): Promise<ListedKey[]>;
  revoke(id: string): Promise<void>;
}

/** Every account of the store. Works whether a server runs or not. */
export async function keysInStore(account: string): Promise<KeyPlace> {
  const { openAdmin } = await import('../app/admin.ts');
  const admin = await openAdmin(process.env);
  return {
    async create({ name, scope, expires }) {
      const { key, secret } = await admin.addKey(account, { name, scope, expiresAt: expires });
      return { ...listed(key), key: secret };
    },
    list: async () => (await admin.keys(account)).map(listed),
    async revoke(id) {
      await admin.revokeKey(account, id);
    },
    [Symbol.asyncDispose]: () => admin[Symbol.asyncDispose](),
  };
}

/** The account of the key that asks. */
export function keysOnServer(): KeyPlace {
  const { keys } = connectServer().client;
  return {
    create: ({ name, scope, expires }) =>
      keys.create({ name, scope, ...(expires !== undefined && { expires_at: expires.toISOString() }) }),
    list: async () => (await keys.list()).keys,
    async revoke(id) {
      await keys.revoke({ key_id: id });
    },
    [Symbol.asyncDispose]: async () => {},
  };
}

const listed = (key: Key): ListedKey => ({
  id: key.id,
  name: key.name,
  scope: key.scope,
  last_four: key.lastFour,
  created_at: key.createdAt.toISOString(),
  last_used_at: key.lastUsedAt?.toISOString() ?? null,
  expires_at: key.expiresAt?.toISOString() ?? null,
});
