/** Plays the demo feed on our own platforms while it is wanted. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { createWakeUp } from '../base/wake-up.ts';
import { PLATFORMS, type Platform } from '../domain/platform.ts';
import { DEMO_SOURCE } from '../domain/source.ts';
import type { Context } from '../service/context.ts';
import type { FeedNow } from '../service/coverage/feed-reports.ts';
import { chosenDemo, createDemo, type Demo } from '../service/ingest/demo.ts';
import { demoFeed } from '../sources/kinds/demo.ts';
import type { Store } from '../store/store.ts';
import type { Config } from './config.ts';

export interface DemoFeed {
  readonly demo: Demo;
  /** Plays whenever it is wanted, until the signal aborts. */
  play(context: Pick<Context, 'ingest' | 'log' | 'feeds'>, signal: AbortSignal): Promise<void>;
}

/** Earlier versions ended the demo for good with the first pushed event, and left this file. */
const ENDED = 'demo-ended';

export async function openDemo(config: Config, store: Store, clock: Clock): Promise<DemoFeed> {
  const wakeUp = createWakeUp(clock);
  const platforms = PLATFORMS.filter((name) => config.upstreams[name] === undefined);
  const isReal = config.sources.length > 0 || platforms.length < PLATFORMS.length;
  const demo = createDemo(
    {
      impossible: obstacleOf(config, platforms.length),
      byDefault: !isReal && !existsSync(join(config.dataDir, ENDED)),
      platforms,
      changed: wakeUp.wake,
    },
    await chosenDemo(store),
  );
  return {
    demo,
    async play(context, signal) {
      while (!signal.aborted) {
        if (demo.isPlaying) await playOnce(demo, context, clock, signal);
        await wakeUp.sleep(Number.POSITIVE_INFINITY, signal);
      }
    },
  };
}

function obstacleOf({ demo }: Config, ownPlatforms: number): string | undefined {
  if (ownPlatforms === 0) return 'Both platforms are the real ones here, and nothing invented goes among their events.';
  return demo ? undefined : 'The demo feed is off here: SLUICE_DEMO is `off`, or several servers share a database.';
}

async function playOnce(
  demo: Demo,
  { ingest, log, feeds }: Pick<Context, 'ingest' | 'log' | 'feeds'>,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  for await (const { platform, payload } of demoFeed(clock, signal)) {
    if (!demo.isPlaying) break;
    if (!demo.platforms.includes(platform)) continue;
    feeds.report(demoNow(platform, 'live'));
    // The store may be full for a while; the next event tries again.
    await ingest
      .add(platform, [payload], DEMO_SOURCE)
      .catch((error: unknown) => log.warn({ err: error }, 'a demo event was not stored'));
  }
  for (const name of PLATFORMS) await feeds.end(demoNow(name, 'ended'));
}

const demoNow = (platform: Platform, state: 'live' | 'ended'): FeedNow => ({
  platform,
  kind: 'demo',
  name: '',
  state,
  reason: undefined,
  through: undefined,
});
