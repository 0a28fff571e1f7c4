/**
 * Plays the demo feed on our own platforms until the first real event; a mark in the data folder keeps it from coming
 * back later.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { PLATFORMS, type Platform } from '../domain/platform.ts';
import type { Context } from '../service/context.ts';
import type { FeedNow } from '../service/coverage/feed-reports.ts';
import { demoFeed } from '../sources/kinds/demo.ts';
import { makePrivateFolder } from './private-folder.ts';

export async function playDemo(
  dataDir: string,
  { ingest, platforms, log, feeds }: Pick<Context, 'ingest' | 'platforms' | 'log' | 'feeds'>,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  const mark = join(dataDir, 'demo-ended');
  if (existsSync(mark) || PLATFORMS.every((name) => platforms[name].shape === 'upstream')) return;
  for await (const { platform, payload } of demoFeed(clock, signal)) {
    if (ingest.wasPushed) {
      makePrivateFolder(mark);
      writeFileSync(mark, 'Real events have arrived; the demo feed stays off. Remove this file to see it again.\n');
      for (const name of PLATFORMS) await feeds.end(demoNow(name, 'ended'));
      log.info({}, 'real events arrive: the demo feed has ended');
      return;
    }
    if (platforms[platform].shape === 'upstream') continue;
    feeds.report(demoNow(platform, 'live'));
    // The store may be full for a while; the next event tries again.
    await ingest
      .add(platform, [payload])
      .catch((error: unknown) => log.warn({ err: error }, 'a demo event was not stored'));
  }
}

const demoNow = (platform: Platform, state: 'live' | 'ended'): FeedNow => ({
  platform,
  kind: 'demo',
  name: '',
  state,
  reason: undefined,
  through: undefined,
});
