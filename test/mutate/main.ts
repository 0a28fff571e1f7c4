/**
 * `npm run mutate`: plants small mistakes in the code, one at a time, and counts how many of them the tests notice.
 *
 *     --folder F   of src; may be given several times   --file F     a source file; may be given several times
 *     --sample N   so many mutants of each folder       --seed S     which ones, and in which order
 *     --budget S   CPU seconds of tests for a mutant    --fresh      a process of its own for every mutant
 *     --near       only tests of the mutants' own folder, in src and in test, or that import from it: kills fewer
 *     --results F  keeps every verdict there, and tries no mutant again that is in it and whose file is the same
 *     --again      tries those again that survived by it  --minutes M  begins no more mutants after so many
 */
import { parseArgs } from 'node:util';
import { describeMutant } from './mutant.ts';
import { mutate } from './mutate.ts';
import { isAlive } from './results.ts';
import { printTable } from './score.ts';

const { values } = parseArgs({
  options: {
    folder: { type: 'string', multiple: true },
    file: { type: 'string', multiple: true },
    sample: { type: 'string', default: 'Infinity' },
    seed: { type: 'string', default: '1' },
    budget: { type: 'string', default: '20' },
    fresh: { type: 'boolean', default: false },
    near: { type: 'boolean', default: false },
    results: { type: 'string' },
    again: { type: 'boolean', default: false },
    minutes: { type: 'string', default: 'Infinity' },
  },
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));
console.log(`seed ${values.seed}`);
const { scores, hunted, stale, unusable } = await mutate({
  root: process.cwd(),
  folders: values.folder,
  files: values.file,
  sample: Number(values.sample),
  seed: Number(values.seed),
  budget: Number(values.budget) * 1000,
  fresh: values.fresh,
  near: values.near,
  results: values.results,
  again: values.again,
  minutes: Number(values.minutes),
  progress: (text) => console.error(text),
});
for (const line of unusable) console.log(`Left out: ${line}`);
for (const line of stale) console.log(`No such mutant (test/mutate/equivalent.json): ${line}`);
const inOrder = hunted.toSorted(({ mutant: one }, { mutant: other }) =>
  one.file === other.file ? one.start - other.start : one.file < other.file ? -1 : 1,
);
for (const { mutant, verdict } of inOrder.filter(isAlive)) console.log(`${verdict}: ${describeMutant(mutant)}`);
console.log(printTable(scores));
