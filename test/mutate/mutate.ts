/** One run of mutation testing, from the choice of mutants to the scores. */
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { openBench } from './bench.ts';
import { readEquivalents } from './equivalent.ts';
import { type Hunted, hunt } from './hunt.ts';
import { describeMutant, keyOf } from './mutant.ts';
import { createRecord, type Recorded } from './record.ts';
import { importsIn } from './related.ts';
import { type FolderScore, sampleOf, scoreOf } from './score.ts';
import { plantTree } from './tree.ts';

/** Every folder of `src`. */
const foldersIn = (root: string): string[] => readdirSync(join(root, 'src')).toSorted();

/** Tests that look at the project itself, or at programs, browsers and clusters as a whole: too slow to run for each mutant. */
const TOO_WIDE =
  /^test\/(console|docs|deploy|cluster|campaign|house|confirm|generated|black-box|mutate|conformance|simulation|cli|client|structure|faults\/(?!x\.|firehose\.)|complexity)/;

export interface MutateOptions {
  readonly root: string;
  readonly folders?: readonly string[] | undefined;
  readonly files?: readonly string[] | undefined;
  /** Only these, by their keys. */
  readonly keys?: ReadonlySet<string> | undefined;
  /** Mutants of each folder. */
  readonly sample: number;
  readonly seed: number;
  /** Milliseconds of tests for one mutant. */
  readonly budget: number;
  readonly fresh: boolean;
  /** Only tests in the mutants' own folder of `src`, and those that import from it directly. */
  readonly near?: boolean;
  readonly progress?: (text: string) => void;
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
  const { root, progress = () => {} } = options;
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
  const candidates = real.filter(({ mutant }) => options.keys?.has(keyOf(mutant)) !== false);
  const chosen = folders.flatMap((folder) =>
    sampleOf(
      candidates.filter((one) => one.folder === folder),
      options.sample,
      options.seed,
    ),
  );
  await using bench = await openBench(tree.folder, { mutants: tree.mutants.length, data: dataOf(root) });
  const recorded = await recordTests(options, tree, bench, new Set(chosen.map(({ mutant }) => mutant.file)), progress);
  let done = 0;
  const hunted = await hunt(
    tree,
    bench,
    recorded.filter(({ trouble }) => trouble === undefined),
    chosen.map(({ number }) => number),
    {
      budget: options.budget,
      fresh: options.fresh,
      onVerdict: ({ verdict, mutant }) =>
        progress(`${++done} of ${chosen.length}: ${verdict} ${describeMutant(mutant)}`),
    },
  );
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
    unusable: recorded.flatMap(({ testFile, trouble }) => (trouble === undefined ? [] : `${testFile}: ${trouble}`)),
  };
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
  { root, near = false }: MutateOptions,
  tree: Parameters<typeof createRecord>[1],
  bench: Parameters<typeof createRecord>[2],
  sources: ReadonlySet<string>,
  progress: (text: string) => void,
): Promise<Recorded[]> {
  const imports = importsIn(root);
  const record = createRecord(root, tree, bench, imports);
  const all = [...pathsIn(root, 'src'), ...pathsIn(root, 'test')].filter(
    (path) => path.endsWith('.test.ts') && !TOO_WIDE.test(path),
  );
  const folders = new Set([...sources].map(folderOf));
  const isInFolder = (path: string): boolean => path.startsWith('src/') && folders.has(folderOf(path));
  const isNear = (testFile: string): boolean => isInFolder(testFile) || imports.direct(testFile).some(isInFolder);
  const related = all
    .filter((testFile) => !near || isNear(testFile))
    .filter((testFile) => [...imports.closure(testFile)].some((path) => sources.has(path)));
  const recorded: Recorded[] = [];
  for (const [index, testFile] of related.entries()) {
    progress(`reach of ${testFile} (${index + 1} of ${related.length})`);
    recorded.push(await record(testFile));
  }
  return recorded;
}
