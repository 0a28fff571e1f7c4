/** The store that the configuration names. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { openObjects } from '../base/object-store.ts';
import { loadClient } from '../base/optional-client.ts';
import { StoreError } from '../store/error.ts';
import { createColdReader } from '../store/rows/whole-rows.ts';
import { openSqlite } from '../store/sqlite.ts';
import type { Store } from '../store/store.ts';
import { type Config, ConfigError, type Env, loadConfig } from './config.ts';
import { makePrivateFolder } from './private-folder.ts';
import { StartError } from './server-lock.ts';

const SQLITE = 'sqlite:';

/** The SQLite file; undefined where the store is elsewhere. */
export const fileOf = ({ storeUrl }: Pick<Config, 'storeUrl'>): string | undefined =>
  storeUrl.startsWith(SQLITE) ? storeUrl.slice(SQLITE.length) : undefined;

/** As it may be shown: without a password. */
export function storeName({ storeUrl }: Pick<Config, 'storeUrl'>): string {
  const file = fileOf({ storeUrl });
  if (file !== undefined) return file;
  const { host, pathname } = new URL(storeUrl);
  return `postgres://${host}${pathname}`;
}

/** Opening makes a file that is not there: a command that has no use for an empty database asks this first. */
export function requireStore(config: Pick<Config, 'storeUrl'>): void {
  const file = fileOf(config);
  if (file === undefined || existsSync(file)) return;
  throw new ConfigError(
    `There is no database at ${resolve(file)}. Set SLUICE_DATA_DIR to the data folder of the server, or SLUICE_STORE_URL.`,
  );
}

/** The way back to a backup, in one sentence. SQLite would apply the log of the earlier file to the backup. */
export function restoreAdvice(config: Pick<Config, 'storeUrl'>): string {
  const file = storeName(config);
  return `To restore, stop every server, move ${file}, ${file}-wal and ${file}-shm to another folder, and put a backup in its place; an old ${file}-wal would damage it.`;
}

type StoreSettings = Pick<Config, 'storeUrl' | 'retentionDays' | 'erasureDays' | 'recentEvents'> &
  Partial<Pick<Config, 'natsUrl' | 'cold'>>;

export async function openStore(config: StoreSettings, textKey?: Uint8Array): Promise<Store> {
  const file = fileOf(config);
  const { retentionDays, erasureDays, cold: place } = config;
  const cold = place && createColdReader(openObjects(place), textKey);
  const recent = { events: config.recentEvents };
  const options = { retentionDays, erasureDays, recent, cold, ...(textKey && { textKey }) };
  try {
    if (file === undefined) {
      // Most do without it, and with it comes a driver.
      const { openPostgres } = await loadClient('PostgreSQL', () => import('../store/postgres.ts'));
      // With a broker, the nodes tell each other of matches by it.
      return await openPostgres(config.storeUrl, { ...options, notify: config.natsUrl === undefined });
    }
    makePrivateFolder(file);
    return await openSqlite(file, options);
  } catch (error) {
    if (isDamaged(error)) throw damaged(config, error);
    throw new ConfigError(`The database ${storeName(config)} cannot be opened: ${wordsOf(error as Error)}`, {
      cause: error,
    });
  }
}

/** With what the driver said, which names the host, the password or the database. */
const wordsOf = ({ message, cause }: Error): string =>
  cause instanceof Error ? `${message} (${cause.message})` : message;

/** Passes failures of a damaged database on as one sentence with what to do; others as they are. */
export async function explainingDamage<T>(config: Config, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw isDamaged(error) ? damaged(config, error) : error;
  }
}

const isDamaged = (error: unknown): error is StoreError => error instanceof StoreError && error.reason === 'damaged';

const damaged = (config: Pick<Config, 'storeUrl'>, error: StoreError): StartError =>
  new StartError(
    `The database ${storeName(config)} is damaged (${error.message.replace(/\.$/, '')}). ${restoreAdvice(config)}`,
    { cause: error },
  );

/** From the configured SQLite file to PostgreSQL. */
export async function moveStore(
  env: Env,
  url: string,
  exists: (path: string) => boolean,
): Promise<Record<string, number>> {
  const file = fileOf(loadConfig(env));
  if (file === undefined || !exists(file))
    throw new ConfigError(`There is no SQLite file to move from${file === undefined ? '' : ` at ${file}`}.`);
  try {
    const { moveToPostgres } = await loadClient('PostgreSQL', () => import('../store/move.ts'));
    return await moveToPostgres(file, url);
  } catch (error) {
    throw new ConfigError(`Nothing was moved: ${(error as Error).message}`, { cause: error });
  }
}
