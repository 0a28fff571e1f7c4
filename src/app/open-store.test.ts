import { cpSync, existsSync, mkdtempSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openAdmin } from './admin.ts';
import { loadConfig } from './config.ts';
import { restoreAdvice } from './open-store.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-restore-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const within = (name: string) => ({ SLUICE_DATA_DIR: join(folder, name) });

it('a backup that is put in place after a crash, as the advice says, has what it had', async () => {
  {
    await using admin = await openAdmin(within('running'));
    await admin.addAccount('before', {});
    await admin.backup(join(folder, 'copy.db'));
    await admin.addAccount('after', {});
    // A process that is killed now leaves this.
    cpSync(join(folder, 'running'), join(folder, 'crashed'), { recursive: true });
  }
  const file = join(folder, 'crashed', 'sluice.db');
  expect(statSync(`${file}-wal`).size).toBeGreaterThan(0);
  const named = restoreAdvice(loadConfig(within('crashed'))).match(/\/\S*\.db(-\w+)?/g);
  for (const path of new Set(named)) if (existsSync(path)) renameSync(path, path.replace('crashed/', ''));
  cpSync(join(folder, 'copy.db'), file);

  await using admin = await openAdmin(within('crashed'), { mustExist: true });
  expect((await admin.accounts()).map(({ name }) => name)).toEqual(['before']);
});
