import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { checkWayTo } from './stages/postgres.ts';

it('says at once which folder keeps the user of PostgreSQL from its programs', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-way-'));
  try {
    chmodSync(folder, 0o755);
    expect(() => checkWayTo(folder)).not.toThrow();
    chmodSync(folder, 0o700);
    expect(() => checkWayTo(folder)).toThrow(`cannot enter ${folder}. Run \`chmod o+x ${folder}\``);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
