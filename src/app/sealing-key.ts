/** The secret of the installation: given, or in a file beside the database that the first start makes. */
import { createHmac, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { addFile } from '../base/durable-file.ts';
import { SEALING_KEY_BYTES } from '../delivery/webhooks/seal.ts';
import { type Config, ConfigError } from './config.ts';
import { makePrivateFolder } from './private-folder.ts';

const FILE = 'webhooks.key';

/** One that is given is the one that all nodes of a cluster share. */
export function sealingKeyOf({ dataDir, sealingKey }: Pick<Config, 'dataDir' | 'sealingKey'>): Buffer {
  if (sealingKey !== undefined) return sealingKey;
  const path = join(dataDir, FILE);
  makePrivateFolder(path);
  // Two processes that start at once end with one key. Nothing is sealed with it before it is on the disk.
  addFile(path, `${randomBytes(SEALING_KEY_BYTES).toString('base64')}\n`);
  const key = Buffer.from(readFileSync(path, 'utf8'), 'base64');
  if (key.length === SEALING_KEY_BYTES) return key;
  throw new ConfigError(
    `${path} is not a key. Put the right one back, or remove it and rotate every webhook's secret.`,
  );
}

/** The key of digests of erased texts. It is not in the database: who has that alone cannot guess what was erased. */
export const textKeyOf = (config: Pick<Config, 'dataDir' | 'sealingKey'>): Uint8Array =>
  createHmac('sha256', sealingKeyOf(config)).update('sluice erased texts').digest();
