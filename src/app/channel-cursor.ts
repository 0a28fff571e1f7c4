/** Where a channel goes on after a restart: one small file for each server and rule, in the data folder of the user. */
import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ChannelCursors } from '../mcp/channel.ts';

export function channelCursors(folder: string, server: string, rule = ''): ChannelCursors {
  const name = createHash('sha256').update(`${server}\n${rule}`).digest('hex').slice(0, 16);
  const file = join(folder, `channel-${name}.cursor`);
  return {
    async read() {
      const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return '';
        throw error;
      });
      return text.trim() || undefined;
    },
    async write(cursor) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      // Replaced as a whole: a stop in the middle leaves the old one.
      await writeFile(`${file}.${process.pid}`, `${cursor}\n`, { mode: 0o600 });
      await rename(`${file}.${process.pid}`, file);
    },
  };
}
