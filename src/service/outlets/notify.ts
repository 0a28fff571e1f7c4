/** Tells the webhooks of an account that want operational events of something that its owner should act on. */
import type { Clock } from '../../base/clock.ts';
import type { Dispatcher } from '../../delivery/webhooks/dispatcher.ts';
import { noticeDeliveries } from '../../delivery/webhooks/notices.ts';
import type { Notice } from '../../domain/webhook.ts';
import type { Store } from '../../store/store.ts';
import type { Log } from '../telemetry.ts';

/** Never rejects. The same notice given twice, here or in another process, is one delivery. */
export type Notify = (accountId: string, notice: Notice) => Promise<void>;

interface Deps {
  readonly store: Pick<Store, 'webhooks' | 'addNotices'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Our public address, where it is known. */
  readonly server?: string | undefined;
}

export const notifier =
  ({ store, clock, log, server }: Deps, dispatcher: Pick<Dispatcher, 'changed'>): Notify =>
  async (accountId, notice) => {
    try {
      const deliveries = noticeDeliveries(await store.webhooks(accountId), notice, clock.now(), server);
      if (deliveries.length === 0) return;
      await store.addNotices(deliveries);
      for (const { webhookId } of deliveries) dispatcher.changed(webhookId);
    } catch (error) {
      log.warn(
        { accountId, type: notice.type, err: error },
        'a notice could not be stored for the webhooks that want it',
      );
    }
  };

/**
 * Notices of what lasts: told once when it begins and once when it ends, however many processes see it and whenever one of them
 * stops. What is open is in the store with when it began, and the notices have their ids from that.
 */
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

interface LastingDeps {
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

export function createLastingNotices({ store, notify }: LastingDeps): LastingNotices {
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
