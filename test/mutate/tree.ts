/** A copy of the project in a temporary folder, with every mutant planted and none of them on. */
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import type { Mutant } from './mutant.ts';
import { mutantsOf } from './operators.ts';
import { plant } from './plant.ts';

export interface Tree extends Disposable {
  readonly folder: string;
  /** By number; the first has number 1. */
  readonly mutants: readonly Mutant[];
  /** The number before the first mutant of a file. */
  readonly bases: ReadonlyMap<string, number>;
}

/** Beside the code: what tests read. */
const COPIED = [
  'src',
  'test',
  'sandbox',
  'bench',
  'console',
  'docs',
  'examples',
  'scripts',
  'bin',
  'deploy',
  'packages',
];

const SWITCH = 'test/mutate/switch.ts';

export function plantTree(root: string, files: readonly string[]): Tree {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-mutate-'));
  // PostgreSQL runs as another user where root runs the tests, and must get through here.
  chmodSync(folder, 0o711);
  const skip = (path: string): boolean => !/(^|\/)(node_modules|dist|\.cache)$/.test(path);
  for (const name of COPIED) {
    if (existsSync(join(root, name))) cpSync(join(root, name), join(folder, name), { recursive: true, filter: skip });
  }
  for (const name of readdirSync(root)) {
    if (/\.(json|md|ts)$/.test(name)) cpSync(join(root, name), join(folder, name));
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const mutants: Mutant[] = [];
  const bases = new Map<string, number>();
  for (const file of files) {
    const text = readFileSync(join(root, file), 'utf8');
    const here = mutantsOf(file, text);
    bases.set(file, mutants.length);
    const from = relative(dirname(file), SWITCH);
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    if (here.length > 0) writeFileSync(join(folder, file), plant(text, here, mutants.length + 1, from));
    mutants.push(...here);
  }
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  return { folder, mutants, bases, [Symbol.dispose]: remove };
}
