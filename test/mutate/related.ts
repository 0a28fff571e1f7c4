/** Which test files import which sources, directly or not, by their text. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** Imports, and the entries of threads. */
const PATHS = /'(\.{1,2}\/[^'\n]*\.ts)'/g;

export interface Imports {
  direct(file: string): readonly string[];
  /** The file itself and all that it imports. */
  closure(file: string): ReadonlySet<string>;
  /** Changes when the text of one of them does. */
  fingerprint(file: string): string;
}

export function importsIn(root: string): Imports {
  const texts = new Map<string, string>();
  const textOf = (file: string): string => {
    const known = texts.get(file) ?? readFileSync(join(root, file), 'utf8');
    texts.set(file, known);
    return known;
  };
  // Every test file reaches most of the sources: each is searched once.
  const found = new Map<string, string[]>();
  const direct = (file: string): string[] => {
    const known = found.get(file) ?? importsOf(file);
    found.set(file, known);
    return known;
  };
  const importsOf = (file: string): string[] =>
    [...textOf(file).matchAll(PATHS)]
      .map(([, path]) => normalize(join(dirname(file), path!)))
      .filter((path) => !path.startsWith('..') && existsSync(join(root, path)));
  const closure = (file: string): Set<string> => {
    const reached = new Set([file]);
    for (const one of reached) for (const next of direct(one)) reached.add(next);
    return reached;
  };
  return {
    direct,
    closure,
    fingerprint(file) {
      const hash = createHash('sha256');
      for (const one of [...closure(file)].toSorted()) hash.update(`${one}\n${textOf(one)}\n`);
      return hash.digest('hex');
    },
  };
}
