/**
 * `npm run core`: compiles `core/` to `src/engine/core/core.wasm` and makes its tables of characters, `tables.bin`. The same sources
 * give the same bytes, and a test asks for that.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeCharacterTables } from '../src/engine/core/character-tables.ts';
import { makePageTables } from '../src/engine/core/page-tables.ts';
import { type EngineTables, packTables } from '../src/engine/core/prepared-tables.ts';

const ROOT = join(import.meta.dirname, '..');
// The compiler's own types would take the place of JavaScript's, so it is a program here and not an import.
const COMPILER = join(ROOT, 'node_modules/assemblyscript/bin/asc.js');

const OPTIONS =
  '--runtime stub --importMemory --sharedMemory --initialMemory 24 --maximumMemory 32768 --optimizeLevel 3 --shrinkLevel 0 --noAssert --enable simd --enable threads --lowMemoryLimit 0 --use abort='.split(
    ' ',
  );

export function compileCore(into: string): void {
  execFileSync(process.execPath, [COMPILER, 'core/index.ts', '--outFile', into, ...OPTIONS], { cwd: ROOT });
}

export const makeTables = (): EngineTables => ({
  characters: resultOf(makeCharacterTables()),
  pages: resultOf(makePageTables()),
});

function resultOf<T>(making: Generator<number, T>): T {
  for (;;) {
    const step = making.next();
    if (step.done === true) return step.value;
  }
}

if (import.meta.main) {
  compileCore('src/engine/core/core.wasm');
  writeFileSync(join(ROOT, 'src/engine/core/tables.bin'), packTables(makeTables()));
}
