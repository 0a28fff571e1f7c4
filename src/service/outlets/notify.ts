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
