/** From the configured SQLite file to PostgreSQL. */
import { moveToPostgres } from '../store/move.ts';
import { ConfigError, type Env, loadConfig } from './config.ts';
import { fileOf } from './open-store.ts';

export async function moveStore(
  env: Env,
  url: string,
  exists: (path: string) => boolean,
): Promise<Record<string, number>> {
  const file = fileOf(loadConfig(env));
  if (file === undefined || !exists(file))
    throw new ConfigError(`There is no SQLite file to move from${file === undefined ? '' : ` at ${file}`}.`);
  try {
    return await moveToPostgres(file, url);
  } catch (error) {
    throw new ConfigError(`Nothing was moved: ${(error as Error).message}`, { cause: error });
  }
}
