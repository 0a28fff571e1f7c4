/** `npm run core`: compiles `core/` to `src/engine/core/core.wasm`. The same sources give the same bytes, and a test asks for that. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

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

if (import.meta.main) compileCore('src/engine/core/core.wasm');
