/** Measures of the source: sizes of files and functions, cycles of imports, exported names that several files declare. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';

export interface SourceFile {
  /** Relative to the root of the project. */
  readonly path: string;
  readonly text: string;
}

export interface LongFunction {
  readonly path: string;
  readonly line: number;
  readonly lines: number;
}

/** Every file of a folder that is not a test. */
export function sourceFiles(root: string, folder: string, names = /(?<!\.test)\.ts$/): SourceFile[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => names.test(path))
    .toSorted()
    .map((path) => ({ path: join(folder, path), text: readFileSync(join(root, folder, path), 'utf8') }));
}

export function medianLines(files: readonly SourceFile[]): number {
  const sizes = files.map(({ text }) => text.split('\n').length - 1).toSorted((a, b) => a - b);
  return sizes[Math.floor(sizes.length / 2)] ?? 0;
}

export function longFunctions({ path, text }: SourceFile, limit: number): LongFunction[] {
  const found: LongFunction[] = [];
  const starts = [...text.matchAll(/\n/g)].map(({ index }) => index);
  const lineOf = (offset: number): number => starts.filter((start) => start < offset).length + 1;
  const look = ({ start, end }: { start: number; end: number }): void => {
    const [first, last] = [lineOf(start), lineOf(end)];
    if (last - first + 1 > limit) found.push({ path, line: first, lines: last - first + 1 });
  };
  const visitor = new Visitor({ FunctionDeclaration: look, FunctionExpression: look, ArrowFunctionExpression: look });
  visitor.visit(parseSync(path, text).program);
  return found;
}

const IMPORT = /(?:from|import\()\s*'(\.[^']*)'/g;

const importsOf = ({ path, text }: SourceFile): string[] =>
  [...text.matchAll(IMPORT)].map(([, to]) => normalize(join(dirname(path), to!)));

/** Groups of files that import each other, type imports included, by Tarjan's algorithm. */
export function importCycles(files: readonly SourceFile[]): string[][] {
  const imports = new Map(files.map((file) => [file.path, importsOf(file)]));
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const cycles: string[][] = [];
  function visit(path: string): void {
    order.set(path, order.size);
    lowest.set(path, order.get(path)!);
    open.push(path);
    for (const to of imports.get(path)!) {
      if (!imports.has(to)) continue;
      if (!order.has(to)) visit(to);
      if (open.includes(to)) lowest.set(path, Math.min(lowest.get(path)!, lowest.get(to)!));
    }
    if (lowest.get(path) !== order.get(path)) return;
    const cycle = open.splice(open.indexOf(path));
    if (cycle.length > 1) cycles.push(cycle);
  }
  for (const path of imports.keys()) if (!order.has(path)) visit(path);
  return cycles;
}

const EXPORT = /^export (?:declare )?(?:async )?(?:const|let|function\*?|class|interface|type|enum) (\w+)/gm;

/** Exported names that two or more files declare, with those files. */
export function sharedNames(files: readonly SourceFile[]): Map<string, string[]> {
  const declared = new Map<string, string[]>();
  for (const { path, text } of files) {
    for (const [, name] of text.matchAll(EXPORT)) {
      const paths = declared.get(name!) ?? [];
      if (!paths.includes(path)) declared.set(name!, [...paths, path]);
    }
  }
  return new Map([...declared].filter(([, paths]) => paths.length > 1));
}

export const countOf = (files: readonly SourceFile[], pattern: RegExp): number =>
  files.reduce((sum, { text }) => sum + [...text.matchAll(pattern)].length, 0);
