/** The key that webhooks' secrets are sealed with: a file beside the database, made at the first start. */
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SEALING_KEY_BYTES } from '../delivery/webhooks/seal.ts';
import { ConfigError } from './config.ts';
import { makePrivateFolder } from './private-folder.ts';

const FILE = 'webhooks.key';

/** `given` is the one that all nodes of a cluster share. */
export function sealingKey(dataDir: string, given?: Buffer): Buffer {
  if (given !== undefined) return given;
  const path = join(dataDir, FILE);
  makePrivateFolder(path);
  try {
    // Only the process that makes the file writes it: two that start at once end with one key.
    writeFileSync(path, `${randomBytes(SEALING_KEY_BYTES).toString('base64')}\n`, {
      flag: 'wx',
      mode: 0o600,
      flush: true,
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const key = Buffer.from(readFileSync(path, 'utf8'), 'base64');
  if (key.length === SEALING_KEY_BYTES) return key;
  throw new ConfigError(
    `${path} is not a key. Put the right one back, or remove it and rotate every webhook's secret.`,
  );
}
