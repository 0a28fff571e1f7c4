import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { compileCore } from '../scripts/build-core.ts';

const ROOT = join(import.meta.dirname, '..');

it('has a core.wasm that is what its sources compile to; `npm run core` renews it', async () => {
  const committed = readFileSync(join(ROOT, 'src/engine/core/core.wasm'));
  expect(Buffer.from(await compileCore()).equals(committed)).toBe(true);
});

// The compiler takes such a loop for one that never ends, and silently leaves out what stands after it.
it.each(readdirSync(join(ROOT, 'core')))('has no loop without a condition in core/%s', (file) => {
  expect(readFileSync(join(ROOT, 'core', file), 'utf8')).not.toMatch(
    /for\s*\([^;)]*;\s*;|while\s*\(\s*(?:true|1)\s*\)/,
  );
});
