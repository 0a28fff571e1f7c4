/** One run of mutation testing, from the choice of mutants to the scores. */
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Bench, openBench } from './bench.ts';
import { readEquivalents } from './equivalent.ts';
import { type Hunted, hunt } from './hunt.ts';
import { describeMutant, type Mutant } from './mutant.ts';
import { createRecord, type Recorded } from './record.ts';
import { importsIn } from './related.ts';
import { openResults } from './results.ts';
import { type FolderScore, sampleOf, scoreOf } from './score.ts';
import { plantTree, type Tree } from './tree.ts';

/** Every folder of `src`. */
const foldersIn = (root: string): string[] => readdirSync(join(root, 'src')).toSorted();

/** Tests that look at the project itself, or at programs, browsers and clusters as a whole: too slow to run for each mutant of others. */
const TOO_WIDE =
  /^test\/(console|docs|deploy|cluster|campaign|house|confirm|generated|black-box|mutate|conformance|simulation|cli|client|structure|faults\/(?!x\.|firehose\.)|complexity)/;

export interface MutateOptions {
  readonly root: string;
  readonly folders?: readonly string[] | undefined;
  readonly files?: readonly string[] | undefined;
  /** Mutants of each folder. */
  readonly sample: number;
  readonly seed: number;
  /** Milliseconds of tests for one mutant. */
  readonly budget: number;
  readonly fresh: boolean;
  /** Only tests of the mutants' own folder, in `src` and in `test`, and those that import from it directly. */
  readonly near: boolean;
  /** The file in which verdicts are kept from one run to the next. */
  readonly results?: string | undefined;
  /** Whether what survived by that file is tried again. */
  readonly again: boolean;
  /** After so many no further mutant is tried. */
  readonly minutes: number;
  readonly progress: (text: string) => void;
}

export interface MutateResult {
  readonly scores: readonly FolderScore[];
  readonly hunted: readonly Hunted[];
  /** Entries of the list of equivalent mutants that name none. */
  readonly stale: readonly string[];
  /** Test files that do not pass on the planted copy, and why. */
  readonly unusable: readonly string[];
}

export async function mutate(options: MutateOptions): Promise<MutateResult> {
  const { root, progress } = options;
  const files =
    options.files ?? (options.folders ?? foldersIn(root)).flatMap((folder) => sourcesIn(root, `src/${folder}`));
  // One tree serves whatever is asked for: what tests reach in it is kept between runs.
  using tree = plantTree(
    root,
    foldersIn(root).flatMap((folder) => sourcesIn(root, `src/${folder}`)),
  );
  const equivalents = readEquivalents(root);
  const wanted = new Set(files);
  const numbered = tree.mutants.map((mutant, index) => ({ mutant, number: index + 1, folder: folderOf(mutant.file) }));
  const mine = numbered.filter(({ mutant }) => wanted.has(mutant.file));
  const folders = [...new Set(mine.map(({ folder }) => folder))];
  const real = mine.filter(({ mutant }) => !equivalents.has(mutant));
  const chosen = folders.flatMap((folder) =>
    sampleOf(
      real.filter((one) => one.folder === folder),
      options.sample,
      options.seed,
    ),
  );
  const results = openResults(root, options.results, options.again);
  const hunted = chosen.flatMap(({ mutant }) => results.of(mutant) ?? []);
  const left = chosen.filter(({ mutant }) => results.of(mutant) === undefined);
  const unusable =
    left.length === 0
      ? []
      : await huntThrough(options, tree, left, (one) => {
          hunted.push(one);
          results.add(one);
          progress(`${hunted.length} of ${chosen.length}: ${one.verdict} ${describeMutant(one.mutant)}`);
        });
  return {
    scores: folders.map((folder) => {
      const all = real.filter((one) => one.folder === folder).length;
      const equivalent = mine.filter((one) => one.folder === folder).length - all;
      return scoreOf(
        folder,
        all,
        equivalent,
        hunted.filter(({ mutant }) => folderOf(mutant.file) === folder),
      );
    }),
    hunted,
    stale: equivalents.stale(wanted, tree.mutants),
    unusable,
  };
}

/** Answers which test files could not be used. */
async function huntThrough(
  options: MutateOptions,
  tree: Tree,
  left: readonly { readonly mutant: Mutant; readonly number: number }[],
  onVerdict: (hunted: Hunted) => void,
): Promise<string[]> {
  const { root, minutes, budget, fresh } = options;
  await using bench = await openBench(tree.folder, { mutants: tree.mutants.length, data: dataOf(root) });
  const recorded = await recordTests(options, tree, bench, new Set(left.map(({ mutant }) => mutant.file)));
  const usable = recorded.filter(({ trouble }) => trouble === undefined);
  const end = performance.now() + minutes * 60_000;
  const isOver = (): boolean => performance.now() > end;
  await hunt(
    tree,
    bench,
    usable,
    left.map(({ number }) => number),
    { budget, fresh, onVerdict, isOver, progress: options.progress },
  );
  return recorded.flatMap(({ testFile, trouble }) => (trouble === undefined ? [] : `${testFile}: ${trouble}`));
}

/** The folder in which the tests of the real tree find the third-party suites. */
const dataOf = (root: string): string => process.env['SLUICE_TEST_DATA'] ?? resolve(root, '..', 'shared', 'data');

const folderOf = (file: string): string => file.split('/')[1]!;

const pathsIn = (root: string, folder: string): string[] =>
  existsSync(join(root, folder))
    ? readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .toSorted()
        .map((path) => join(folder, path))
    : [];

const sourcesIn = (root: string, folder: string): string[] =>
  pathsIn(root, folder).filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'));

/** Records every test file that imports one of the sources. */
async function recordTests(
  { root, near, progress }: MutateOptions,
  tree: Tree,
  bench: Bench,
  sources: ReadonlySet<string>,
): Promise<Recorded[]> {
  const imports = importsIn(root);
  const record = createRecord(root, tree, bench, imports);
  const all = [...pathsIn(root, 'src'), ...pathsIn(root, 'test')].filter((path) => path.endsWith('.test.ts'));
  const folders = new Set([...sources].map(folderOf));
  const isInFolder = (path: string): boolean => path.startsWith('src/') && folders.has(folderOf(path));
  const isOfFolder = (path: string): boolean => isInFolder(path) || folders.has(folderOfTests(path));
  const isNear = (testFile: string): boolean => isOfFolder(testFile) || imports.direct(testFile).some(isInFolder);
  const related = all
    .filter((testFile) => !TOO_WIDE.test(testFile) || folders.has(folderOfTests(testFile)))
    .filter((testFile) => !near || isNear(testFile))
    .filter((testFile) => [...imports.closure(testFile)].some((path) => sources.has(path)));
  const recorded: Recorded[] = [];
  for (const [index, testFile] of related.entries()) {
    progress(`reach of ${testFile} (${index + 1} of ${related.length})`);
    const one = await record(testFile);
    if (one.trouble !== undefined) progress(`left out: ${one.trouble}`);
    recorded.push(one);
  }
  return recorded;
}

/** `mcp` for `test/mcp/wait.test.ts`, `http` for `test/http-cors.test.ts`. */
const folderOfTests = (testFile: string): string => /^test\/(\w+)/.exec(testFile)?.[1] ?? '';
