/** The store that the configuration names. */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { openSqlite } from '../store/sqlite.ts';
import type { Store } from '../store/store.ts';
import { type Config, ConfigError } from './config.ts';

const SQLITE = 'sqlite:';

/** The SQLite file; undefined where the store is elsewhere. */
export const fileOf = ({ storeUrl }: Pick<Config, 'storeUrl'>): string | undefined =>
  storeUrl.startsWith(SQLITE) ? storeUrl.slice(SQLITE.length) : undefined;

/** As it may be shown: without a password. */
export function nameOf({ storeUrl }: Pick<Config, 'storeUrl'>): string {
  const file = fileOf({ storeUrl });
  if (file !== undefined) return file;
  const { host, pathname } = new URL(storeUrl);
  return `postgres://${host}${pathname}`;
}

export async function openStore(config: Config): Promise<Store> {
  const file = fileOf(config);
  const options = { retentionDays: config.retentionDays, recent: { events: config.recentEvents } };
  try {
    if (file === undefined) {
      // Most do without it, and with it comes a driver.
      const { openPostgres } = await import('../store/postgres.ts');
      return await openPostgres(config.storeUrl, options);
    }
    mkdirSync(dirname(file), { recursive: true });
    return await openSqlite(file, options);
  } catch (error) {
    throw new ConfigError(`The database ${nameOf(config)} cannot be opened: ${(error as Error).message}`, {
      cause: error,
    });
  }
}
