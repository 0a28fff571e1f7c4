import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lockFile } from './connection.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-lock-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('the lock of a file', () => {
  it('is had by one at a time, and free again when it is given back', () => {
    const path = join(folder, 'one.lock');
    const lock = lockFile(path);
    expect([lock !== undefined, lockFile(path)]).toEqual([true, undefined]);
    lock![Symbol.dispose]();
    const next = lockFile(path);
    expect(next).toBeDefined();
    next![Symbol.dispose]();
  });

  it('leaves nothing beside its file', () => {
    const path = join(folder, 'two.lock');
    using _ = lockFile(path);
    expect(readdirSync(folder).filter((name) => name.startsWith('two'))).toEqual(['two.lock']);
  });

  it('that cannot be taken for another reason says so', () => {
    const path = join(folder, 'three.lock');
    writeFileSync(path, 'This is no database, and it is long enough to be taken for one.'.repeat(100));
    expect(() => lockFile(path)).toThrow(expect.objectContaining({ name: 'StoreError', reason: 'damaged' }));
  });
});
