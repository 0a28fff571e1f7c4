/** The loops of all upstreams, running beside each other. A local platform has none. */
import type { Clock } from '../../base/clock.ts';
import { DEFAULT_ACCOUNT } from '../../domain/account.ts';
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import type { LivePlatform, StreamState } from '../../platforms/platform.ts';
import type { Store } from '../../store/store.ts';
import type { Notify } from '../outlets/notify.ts';
import type { UpstreamDeps, UpstreamStatus } from './consumer.ts';
import { type DeletionDeps, eraseDeletedPosts } from './deletions.ts';
import { createUpstreamLoop, type UpstreamLoop } from './upstream.ts';

/** X delivers by webhook to this path after the public address of this server. */
export const X_WEBHOOK_PATH = '/upstreams/x';

export interface Upstreams {
  /** Reads until the signal aborts, or `stop` is called, and stores what was read. */
  run(signal: AbortSignal): Promise<unknown>;
  /** Returns undefined for a local platform. */
  status(platform: Platform): UpstreamStatus | undefined;
  /** Stops reading, and stores what was read. */
  stop(): Promise<void>;
}

interface Deps extends Omit<UpstreamDeps, 'platform'> {
  readonly platforms: Readonly<Record<Platform, LivePlatform>>;
}

export function createUpstreams({ platforms, ...deps }: Deps): Upstreams {
  const stopping = new AbortController();
  const upstreams = new Map<Platform, UpstreamLoop>();
  const deletions: DeletionDeps[] = [];
  for (const name of PLATFORMS) {
    const platform = platforms[name];
    if (platform.shape === 'upstream') upstreams.set(name, createUpstreamLoop({ ...deps, platform }));
    if (platform.deletions !== undefined)
      deletions.push({ ...deps, platform: name, feed: platform.deletions, erase: deps.eraseDeleted });
  }
  let running: Promise<unknown> = Promise.resolve();
  return {
    run(ending) {
      const signal = AbortSignal.any([ending, stopping.signal]);
      const loops = [...upstreams.values()].map((one) => one.run(signal));
      running = Promise.all([...loops, ...deletions.map((one) => eraseDeletedPosts(one, signal))]);
      return running;
    },
    status: (platform) => upstreams.get(platform)?.status,
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

const DAY = 24 * 60 * 60 * 1_000;
/** The state of a stream has this reason when the token was refused. */
const REFUSED = 'auth';

/** An upstream that refuses our token is the operator's business: its webhooks are told, once a day while it lasts. */
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
