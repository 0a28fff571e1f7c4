/** The loops of all upstreams, running beside each other. A local platform has none. */
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import type { LivePlatform } from '../../platforms/platform.ts';
import { type DeletionDeps, eraseDeletedPosts } from './deletions.ts';
import { createUpstreamLoop, type UpstreamLoop } from './upstream.ts';
import type { UpstreamDeps, UpstreamStatus } from './upstream-deps.ts';

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
