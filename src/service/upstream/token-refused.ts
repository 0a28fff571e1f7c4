/** An upstream that refuses our token is the operator's business: its webhooks are told, once a day while it lasts. */
import type { Clock } from '../../base/clock.ts';
import { DEFAULT_ACCOUNT } from '../../domain/account.ts';
import type { Platform } from '../../domain/platform.ts';
import type { StreamState } from '../../platforms/platform.ts';
import type { Store } from '../../store/store.ts';

import type { Notify } from '../outlets/notify.ts';

const DAY = 24 * 60 * 60 * 1_000;
/** The state of a stream has this reason when the token was refused. */
const REFUSED = 'auth';

export const tellOfRefusedToken =
  ({
    store,
    clock,
    notify,
  }: {
    readonly store: Pick<Store, 'account'>;
    readonly clock: Clock;
    readonly notify: Notify;
  }) =>
  async (platform: Platform, state: StreamState, reason: string | undefined): Promise<void> => {
    if (state !== 'degraded' || reason !== REFUSED) return;
    const operator = await store.account(DEFAULT_ACCOUNT).catch(() => undefined);
    if (operator === undefined) return;
    await notify(operator.id, {
      type: 'token_refused',
      at: new Date(Math.floor(clock.now().getTime() / DAY) * DAY),
      subject: { platform },
      message: `The upstream of ${platform} refuses the token. No posts arrive and no rules can be registered there until it is replaced.`,
    });
  };
