/**
 * `npm run core`: compiles `core/` to `src/engine/core/core.wasm` and makes the tables of characters: those of the rules' words,
 * `src/rules/plane-tables.ts`, and those of the core, `tables.bin`. The same sources give the same bytes, and a test asks for that.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { makeCharacterTables } from '../src/engine/core/character-tables.ts';
import { makePageTables } from '../src/engine/core/page-tables.ts';
import { type EngineTables, packTables } from '../src/engine/core/prepared-tables.ts';
import { makeClasses } from '../src/rules/firehose/word-classes.ts';
import { packPlane } from '../src/rules/planes.ts';
import { makeKinds } from '../src/rules/x/words.ts';

const ROOT = join(import.meta.dirname, '..');
// The compiler's own types would take the place of JavaScript's, so it is a program here and not an import.
const COMPILER = join(ROOT, 'node_modules/assemblyscript/bin/asc.js');

const OPTIONS =
  '--runtime stub --importMemory --sharedMemory --initialMemory 24 --maximumMemory 32768 --optimizeLevel 3 --shrinkLevel 0 --noAssert --enable simd --enable threads --lowMemoryLimit 0 --use abort='.split(
    ' ',
  );

/**
 * AssemblyScript has decorators of functions, which TypeScript's grammar has not. In `core/` they are comments, `// @inline`, so that
 * the formatter and the linters can read the files; the compiler gets a copy in which they are decorators.
 */
const DECORATOR = /^\/\/ (?=@(?:inline|external)\b)/gm;

export function compileCore(into: string): void {
  const copy = mkdtempSync(join(tmpdir(), 'sluice-core-'));
  try {
    for (const file of readdirSync(join(ROOT, 'core')))
      writeFileSync(join(copy, file), readFileSync(join(ROOT, 'core', file), 'utf8').replaceAll(DECORATOR, ''));
    execFileSync(process.execPath, [COMPILER, 'index.ts', '--outFile', resolve(ROOT, into), ...OPTIONS], { cwd: copy });
  } finally {
    rmSync(copy, { recursive: true });
  }
}

export const makeTables = (): EngineTables => ({
  characters: resultOf(makeCharacterTables()),
  pages: resultOf(makePageTables()),
});

/** The text of `src/rules/plane-tables.ts`. */
export function printPlaneTables(): string {
  const both = (make: (plane: 0 | 1) => Uint8Array) =>
    ([0, 1] as const).map((plane) => `  '${packPlane(make(plane))}',\n`).join('');
  return `/** Made by \`npm run core\` of the Unicode that Node has; \`planes.ts\` says how they are read. Each for two planes. */

/** By which pages are cut into words. */
export const PAGE_CLASSES = [
${both(makeClasses)}] as const;

/** By which posts are cut into words. */
export const POST_KINDS = [
${both(makeKinds)}] as const;
`;
}

function resultOf<T>(making: Generator<number, T>): T {
  for (;;) {
    const step = making.next();
    if (step.done === true) return step.value;
  }
}

if (import.meta.main) {
  compileCore('src/engine/core/core.wasm');
  // With a new Unicode, the core's tables are made of these when it runs once more.
  writeFileSync(join(ROOT, 'src/rules/plane-tables.ts'), printPlaneTables());
  writeFileSync(join(ROOT, 'src/engine/core/tables.bin'), packTables(makeTables()));
}
