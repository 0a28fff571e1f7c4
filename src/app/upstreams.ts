/** From the configuration to platforms: the real one where there is a token for it, else our own. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import type { Platform } from '../domain/platform.ts';
import { firehosePlatform } from '../platforms/firehose/platform.ts';
import { localPlatform } from '../platforms/local/local.ts';
import type { LivePlatform, StreamCounter } from '../platforms/platform.ts';
import { xPlatform } from '../platforms/x/platform.ts';
import type { XWebhookOptions } from '../platforms/x/webhook-endpoint.ts';
import type { Log } from '../service/telemetry.ts';
import type { InboxStore } from '../store/store.ts';
import { type Config, ConfigError, type Secret, type UpstreamConfig } from './config.ts';

interface Around {
  readonly log: Log;
  readonly clock: Clock;
  readonly count: (platform: Platform, counter: StreamCounter) => void;
  /** For what X delivers by webhook. Without one, nothing can be delivered. */
  readonly store?: InboxStore;
}

export function platformsOf(
  { upstreams, dataDir, xLevel, xWebhook }: Config,
  { log, clock, count, store }: Around,
): Record<Platform, LivePlatform> {
  const { x, firehose } = upstreams;
  const shared = ({ baseUrl, token }: UpstreamConfig, name: Platform) => ({
    baseUrl,
    token: tokenOf(token),
    clock,
    random: Math.random,
    log,
    count: (counter: StreamCounter) => count(name, counter),
  });
  return {
    x:
      x === undefined
        ? localPlatform('x')
        : withSlots(
            xPlatform({
              ...shared(x, 'x'),
              level: xLevel,
              spillDir: join(dataDir, 'spill'),
              ...(xWebhook &&
                store && {
                  webhook: { url: xWebhook.url, secret: tokenOf(xWebhook.secret), inbox: inboxOf(store) },
                }),
            }),
            x.slots,
          ),
    firehose:
      firehose === undefined
        ? localPlatform('firehose')
        : firehosePlatform({ ...shared(firehose, 'firehose'), ...(firehose.slots && { rules: firehose.slots }) }),
  };
}

/** The inbox of X is a part of the store. */
export const inboxOf = (store: InboxStore): XWebhookOptions['inbox'] => ({
  put: (received) => store.putReceived('x', received),
  after: (position, limit) => store.received('x', position, limit),
  drop: (position) => store.dropReceived('x', position),
});

/** The operator knows better than the upstream tells how many rules are ours to use. */
const withSlots = (platform: LivePlatform, slots: number | undefined): LivePlatform =>
  slots === undefined
    ? platform
    : { ...platform, capacity: async () => ({ ...(await platform.capacity()), rules: slots }) };

/** A token in a file may be replaced while we run: it is read again when the file has changed. */
function tokenOf(token: Secret): () => string {
  if (!('file' in token)) return () => token.value;
  const { file } = token;
  let known = { at: 0, value: '' };
  const read = (): string => {
    const at = statSync(file).mtimeMs;
    const value = at === known.at ? known.value : readFileSync(file, 'utf8').trim();
    if (value !== '') known = { at, value };
    return known.value;
  };
  try {
    if (read() === '') throw new Error('it is empty');
  } catch (error) {
    throw new ConfigError(`The token in ${file} cannot be read: ${(error as Error).message}.`, { cause: error });
  }
  return () => {
    try {
      return read();
    } catch {
      // It is being replaced.
      return known.value;
    }
  };
}
