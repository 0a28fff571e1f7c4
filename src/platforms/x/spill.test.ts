import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createSpill } from './spill.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-spill-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('the file for what does not fit in memory', () => {
  it('gives blocks in the order in which they came, also after it was empty', () => {
    const spill = createSpill(join(folder, 'deep', 'er'), 'a');
    const texts: (string | undefined)[] = [];
    const read = () => texts.push(spill.read()?.toString('utf8'));
    for (const text of ['one', 'two two', 'three']) expect(spill.write(Buffer.from(text))).toBe(true);
    read();
    spill.write(Buffer.from('four'));
    for (let left = 0; left < 4; left++) read();
    spill.write(Buffer.from('five'));
    spill.write(Buffer.from('six'));
    for (let left = 0; left < 3; left++) read();
    expect(texts).toEqual(['one', 'two two', 'three', 'four', undefined, 'five', 'six', undefined]);
    expect(readdirSync(join(folder, 'deep', 'er'))).toEqual([]);
    spill.close();
  });

  it('says that the disk refuses, and has nothing then', () => {
    writeFileSync(join(folder, 'file'), '');
    const spill = createSpill(join(folder, 'file'), 'b');
    expect(spill.write(Buffer.from('one'))).toBe(false);
    expect(spill.read()).toBeUndefined();
    spill.close();
  });

  it('forgets what was in it when it is closed, and may be closed twice', () => {
    const spill = createSpill(folder, 'c');
    spill.write(Buffer.from('one'));
    spill.close();
    spill.close();
    expect(spill.read()).toBeUndefined();
    expect(spill.write(Buffer.from('two'))).toBe(true);
    expect(spill.read()?.toString('utf8')).toBe('two');
    spill.close();
  });
});
