/** `npm run core`: compiles `core/` to `src/engine/core/core.wasm`. The same sources give the same bytes, and a test asks for that. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import asc from 'assemblyscript/asc';

const ROOT = join(import.meta.dirname, '..');
const WASM = join(ROOT, 'src/engine/core/core.wasm');

const OPTIONS = [
  ...['--outFile', 'core.wasm'],
  ...['--runtime', 'stub'],
  ...['--importMemory', '--initialMemory', '24', '--maximumMemory', '32768'],
  ...['--optimizeLevel', '3', '--shrinkLevel', '0', '--noAssert'],
  ...['--enable', 'simd'],
  ...['--lowMemoryLimit', '0', '--use', 'abort='],
];

export async function compileCore(): Promise<Uint8Array> {
  let wasm: Uint8Array | undefined;
  const { error, stderr } = await asc.main(['core/index.ts', ...OPTIONS], {
    readFile: (name) => sourceOf(name),
    writeFile: (_, contents) => {
      if (typeof contents !== 'string') wasm = contents;
    },
    listFiles: () => [],
  });
  if (error !== null || wasm === undefined) throw new Error(`the core does not compile: ${stderr.toString()}`);
  return wasm;
}

function sourceOf(name: string): string | null {
  try {
    return readFileSync(join(ROOT, name), 'utf8');
  } catch {
    return null;
  }
}

if (import.meta.main) writeFileSync(WASM, await compileCore());
