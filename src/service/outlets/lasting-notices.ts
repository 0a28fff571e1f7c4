/**
 * Notices of what lasts: told once when it begins and once when it ends, however many processes see it and whenever one of them
 * stops. What is open is in the store with when it began, and the notices have their ids from that.
 */
import type { Notice } from '../../domain/webhook.ts';
import type { Store } from '../../store/store.ts';
import type { Notify } from './notify.ts';

type Told = Omit<Notice, 'at' | 'began'>;

export interface LastingNotices {
  /** Reads what is open. */
  open(): Promise<void>;
  /** Accounts with something open, by how its cause begins. */
  accounts(prefix: string): readonly string[];
  /** Without a notice it begins in silence. */
  begin(accountId: string, cause: string, now: Date, notice?: Told): Promise<void>;
  end(accountId: string, cause: string, now: Date, notice?: Told): Promise<void>;
}

interface Deps {
  readonly store: Pick<Store, 'openNotices' | 'beginNotice' | 'endNotice'>;
  readonly notify: Notify;
}

interface Open {
  readonly accountId: string;
  readonly cause: string;
  readonly since: Date;
  /** By this process: another may have stopped before it told. */
  isTold: boolean;
}

const keyOf = (accountId: string, cause: string): string => `${cause} ${accountId}`;

export function createLastingNotices({ store, notify }: Deps): LastingNotices {
  const known = new Map<string, Open>();
  return {
    async open() {
      for (const one of await store.openNotices())
        known.set(keyOf(one.accountId, one.cause), { ...one, isTold: false });
    },
    accounts: (prefix) =>
      [...known.values()].filter(({ cause }) => cause.startsWith(prefix)).map(({ accountId }) => accountId),
    async begin(accountId, cause, now, notice) {
      const key = keyOf(accountId, cause);
      if (known.get(key)?.isTold === true) return;
      const since = await store.beginNotice(accountId, cause, now);
      if (since === undefined) return;
      if (notice !== undefined) await notify(accountId, { ...notice, at: since });
      known.set(key, { accountId, cause, since, isTold: true });
    },
    async end(accountId, cause, now, notice) {
      const key = keyOf(accountId, cause);
      const open = known.get(key);
      if (open === undefined) return;
      if (notice !== undefined) await notify(accountId, { ...notice, at: now, began: open.since });
      await store.endNotice(accountId, cause);
      known.delete(key);
    },
  };
}
