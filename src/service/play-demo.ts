/** Plays the demo feed until something real arrives. */
import { DEFAULT_ACCOUNT } from '../domain/account.ts';
import { PLATFORMS } from '../domain/platform.ts';
import { demoFeed } from '../sources/demo.ts';
import type { Context } from './context.ts';

/** How many of the last events are looked at to see whether real ones have come before. */
const LOOKED_AT = 100;

export async function playDemo(context: Context, signal: AbortSignal): Promise<void> {
  const { clock, ingest, log } = context;
  await context.matching.loaded;
  if (await hasRealEvents(context)) return;
  log.info({}, 'the demo feed plays until a real event arrives');
  for await (const { platform, payload } of demoFeed(clock, signal)) {
    if (ingest.wasPushed) return log.info({}, 'a real event arrived: the demo feed ends');
    // While the store fails there is nothing to play to; the feed goes on when it works again.
    await ingest.add(platform, payload).catch(() => {});
  }
}

async function hasRealEvents({ store }: Context): Promise<boolean> {
  const operator = await store.account(DEFAULT_ACCOUNT);
  if (operator === undefined) return false;
  for (const name of PLATFORMS) {
    for await (const slice of store.recentEvents(operator.id, name, LOOKED_AT)) {
      if (slice.some(({ event }) => event.payload['demo'] !== true)) return true;
    }
  }
  return false;
}
