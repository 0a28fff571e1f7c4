import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { compileCore, makeTables, printPlaneTables } from '../scripts/build-core.ts';
import { preparedTables } from '../src/engine/core/prepared-tables.ts';

const ROOT = join(import.meta.dirname, '..');

it('has a core.wasm that is what its sources compile to; `npm run core` renews it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-core-'));
  try {
    compileCore(join(folder, 'core.wasm'));
    const committed = readFileSync(join(ROOT, 'src/engine/core/core.wasm'));
    expect(readFileSync(join(folder, 'core.wasm')).equals(committed)).toBe(true);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('has a tables.bin that is what the sources make; `npm run core` renews it', () => {
  expect(preparedTables()).toEqual(makeTables());
});

it('cuts words by the tables that this Unicode gives; `npm run core` renews them', () => {
  expect(readFileSync(join(ROOT, 'src/rules/plane-tables.ts'), 'utf8')).toBe(printPlaneTables());
});

// The compiler takes such a loop for one that never ends, and silently leaves out what stands after it.
it.each(readdirSync(join(ROOT, 'core')))('has no loop without a condition in core/%s', (file) => {
  expect(readFileSync(join(ROOT, 'core', file), 'utf8')).not.toMatch(
    /for\s*\([^;)]*;\s*;|while\s*\(\s*(?:true|1)\s*\)/,
  );
});
