/** The broker that the configuration names. */
import { hostname } from 'node:os';
import type { Clock } from '../base/clock.ts';
import { loadClient, MissingClientError } from '../base/optional-client.ts';
import { type Broker, BrokerError } from '../broker/broker.ts';
import type { Log } from '../service/telemetry.ts';
import { type Config, ConfigError } from './config.ts';

export async function openBroker(
  { natsUrl, roles, log: kept }: Pick<Config, 'natsUrl' | 'roles' | 'log'>,
  { log, clock, patience }: { log: Log; clock: Clock; patience?: number },
): Promise<Broker | undefined> {
  if (natsUrl === undefined) return undefined;
  const onTrouble = (message: string, error: unknown) => log.warn(error === undefined ? {} : { err: error }, message);
  try {
    // Loaded only where it is used: one process needs no broker, and starts sooner without.
    const { openNats } = await loadClient('NATS', () => import('../broker/nats.ts'));
    const name = `sluice ${roles.join()} on ${hostname()}`;
    return await openNats({
      url: natsUrl,
      name,
      clock,
      onTrouble,
      log: kept,
      ...(patience !== undefined && { patience }),
    });
  } catch (error) {
    if (!(error instanceof BrokerError || error instanceof MissingClientError)) throw error;
    throw new ConfigError(error.message, { cause: error });
  }
}
