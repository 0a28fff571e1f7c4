import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newId } from '../../base/ids.ts';
import { openSqlite } from '../sqlite.ts';

const account = (name: string) => ({
  id: newId('acct', new Date()),
  name,
  plan: 'paid' as const,
  xRules: 1,
  createdAt: new Date(),
});

describe('the version of a store', () => {
  it('changes with every write, whoever writes, and with nothing else', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-version-'));
    for (const path of [join(folder, 'a.db'), ':memory:']) {
      await using store = await openSqlite(path);
      const seen = [await store.version()];
      expect(await store.version()).toBe(seen[0]);
      await store.addAccount(account('one'));
      seen.push(await store.version());
      await store.accounts();
      expect(await store.version()).toBe(seen[1]);
      await using other = await openSqlite(path);
      await (path === ':memory:' ? store : other).addAccount(account('two'));
      seen.push(await store.version());
      expect(new Set(seen).size).toBe(3);
    }
    rmSync(folder, { recursive: true });
  });
});
