/** The operator's business, done on the store itself: accounts, keys and copies. A server may be running on it. */
import { systemClock } from '../base/clock.ts';
import { newId } from '../base/ids.ts';
import { hiddenIn } from '../base/legible.ts';
import {
  ACCOUNT_LIMIT_CODES,
  type Account,
  type AccountLimit,
  type AccountLimitChange,
  DEFAULT_ACCOUNT,
  type Plan,
  type Scope,
} from '../domain/account.ts';
import type { Change } from '../domain/change.ts';
import { accountFields, changeNote, keyFields, OPERATOR, withLimits } from '../service/access/change-notes.ts';
import { addKey, operatorAccount, X_RULES } from '../service/access/keys.ts';
import { limitOf } from '../service/limits.ts';
import type { Store, Stored, Tombstones } from '../store/store.ts';
import { adoptSettings } from './agreed-settings.ts';
import { type Env, loadConfig, usualLimits } from './config.ts';
import { openStore, requireStore } from './open-store.ts';
import { textKeyOf } from './sealing-key.ts';

export interface ShownAccount {
  readonly account: Account;
  /** An undefined limit is none. */
  readonly limits: Readonly<Record<AccountLimit, number | undefined>>;
  readonly stored: Pick<Stored, 'matches' | 'bytes'>;
}

export interface AccountSettings {
  readonly plan?: Plan;
  readonly xRules?: number;
  /** Null takes the limit away. */
  readonly xBudget?: number | null;
}

/** A request of the operator that cannot be met; the message says why. */
export class AdminError extends Error {
  override readonly name = 'AdminError';
}

/** With `mustExist`, a database that is not there is told of instead of made. */
export async function openAdmin(env: Env, { mustExist = false } = {}) {
  const config = loadConfig(env);
  if (mustExist) requireStore(config);
  const store = await openStore(config, textKeyOf(config));

  async function accountOf(name: string): Promise<Account> {
    const account = await store.account(name);
    if (account === undefined)
      throw new AdminError(`There is no account "${name}". \`sluice accounts list\` shows all.`);
    return account;
  }

  return {
    accounts: () => store.accounts(),
    async addAccount(name: string, { plan = 'paid', xRules = X_RULES, xBudget }: AccountSettings) {
      if (!/^[\w.@-]{1,100}$/.test(name))
        throw new AdminError('The name of an account has 1 to 100 letters, digits, or any of . _ @ -');
      if ((await store.account(name)) !== undefined) throw new AdminError(`There is an account "${name}" already.`);
      const now = systemClock.now();
      const budget = xBudget ?? undefined;
      const account: Account = { id: newId('acct', now), name, plan, xRules, xBudget: budget, createdAt: now };
      await store.addAccount(
        account,
        changeNote(now, OPERATOR, 'account.created', account.id, { after: accountFields(account) }),
      );
      return account;
    },
    async changeAccount(name: string, change: AccountSettings) {
      const account = await accountOf(name);
      // A new budget starts unspent.
      const spent = change.xBudget === undefined ? {} : { xSpentIn: null };
      await store.changeAccount(account.id, change, noteOf(account, { ...account, ...change, ...spent }));
      return accountOf(account.id);
    },
    async changeLimits(name: string, change: AccountLimitChange) {
      const account = await accountOf(name);
      const after = withLimits(account, change);
      await store.changeLimits(account.id, change, noteOf(account, after));
      return accountOf(account.id);
    },
    async suspend(name: string, reason: string) {
      const account = await accountOf(name);
      if (account.name === DEFAULT_ACCOUNT) throw new AdminError("The operator's own account cannot be suspended.");
      const hidden = hiddenIn(reason);
      if (hidden !== undefined)
        throw new AdminError(
          `Character ${hidden.place} of the reason is ${hidden.code}, which cannot be seen. Leave it out.`,
        );
      const suspended = { at: systemClock.now(), reason };
      await store.suspendAccount(account.id, suspended, noteOf(account, { ...account, suspended }));
      return accountOf(account.id);
    },
    async resume(name: string) {
      const account = await accountOf(name);
      const { suspended: _, ...resumed } = account;
      await store.resumeAccount(account.id, noteOf(account, resumed));
      return accountOf(account.id);
    },
    /** An account with the limits that hold for it, and what is stored for it. */
    async show(name: string): Promise<ShownAccount> {
      const account = await accountOf(name);
      const usual = usualLimits(config);
      const limits = ACCOUNT_LIMIT_CODES.map((code) => [code, limitOf(usual, account, code)] as const);
      const stored = (await store.stored([account.id])).get(account.id) ?? { matches: 0, bytes: 0 };
      return { account, limits: Object.fromEntries(limits) as ShownAccount['limits'], stored };
    },
    keys: async (account: string) => store.keys((await accountOf(account)).id),
    async addKey(account: string, key: { name: string; scope: Scope; expiresAt: Date | undefined }) {
      const now = systemClock.now();
      // A database that no server has been on has not got it yet.
      const { id } = account === DEFAULT_ACCOUNT ? await operatorAccount(store, now) : await accountOf(account);
      return addKey(store, now, { ...key, accountId: id }, OPERATOR);
    },
    async revokeKey(account: string, keyId: string) {
      const { id } = await accountOf(account);
      const key = (await store.keys(id)).find((one) => one.id === keyId);
      const note = key && changeNote(systemClock.now(), OPERATOR, 'key.deleted', keyId, { before: keyFields(key) });
      if (!(await store.revokeKey(id, keyId, note)))
        throw new AdminError(`The account "${account}" has no key ${keyId}.`);
    },
    /** Makes the settings here those of the database, and answers which were others. */
    adopt: () => adoptSettings(store, config),
    backup: (path: string) => store.backup(path),
    /** Everything that is refused because it was erased, slice by slice. */
    tombstones: () => everyTombstone(store),
    /** Takes them in, and erases what is stored although it was erased. Answers how many matches went. */
    importTombstones: (slices: Iterable<Tombstones>) => importTombstones(store, slices),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

const noteOf = (account: Account, after: Parameters<typeof accountFields>[0]): Change =>
  changeNote(systemClock.now(), OPERATOR, 'account.changed', account.id, {
    before: accountFields(account),
    after: accountFields(after),
  });

const TOMBSTONES_AT_ONCE = 1_000;

async function* everyTombstone(store: Store): AsyncIterable<Tombstones> {
  for (let after = ''; ; ) {
    const slice = await store.tombstones(after, TOMBSTONES_AT_ONCE);
    yield slice;
    const last = slice.tombstones.at(-1);
    if (last === undefined) return;
    after = last.digest;
  }
}

async function importTombstones(store: Store, slices: Iterable<Tombstones>): Promise<number> {
  for (const slice of slices) {
    if (await store.addTombstones(slice)) continue;
    throw new AdminError(
      'This database has erased posts of its own under another key. Import into a restored backup before anything is erased there.',
    );
  }
  let erased = 0;
  for (let from: number | undefined = 0; from !== undefined; ) {
    const slice: { erased: number; next: number | undefined } = await store.applyTombstones(from);
    erased += slice.erased;
    from = slice.next;
  }
  return erased;
}
