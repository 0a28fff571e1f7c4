/**
 * `npm run mutate`: plants small mistakes in the code, one at a time, and counts how many of them the tests notice.
 *
 *     --folder F   of src; may be given several times   --file F     a source file; may be given several times
 *     --sample N   so many mutants of each folder       --seed S     which ones
 *     --budget S   seconds of tests for one mutant      --fresh      a process of its own for every mutant
 *     --near       only tests in the mutants' own folder of src, or that import from it: quick, and kills fewer
 *     --json F     also writes every verdict there      --again F    tries those again that such a file calls alive
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Hunted } from './hunt.ts';
import { describeMutant, keyOf } from './mutant.ts';
import { mutate } from './mutate.ts';
import { printTable } from './score.ts';

const { values } = parseArgs({
  options: {
    folder: { type: 'string', multiple: true },
    file: { type: 'string', multiple: true },
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
    budget: { type: 'string', default: '20' },
    fresh: { type: 'boolean', default: false },
    near: { type: 'boolean', default: false },
    json: { type: 'string' },
    again: { type: 'string' },
  },
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));
console.log(`seed ${values.seed}`);
const isAlive = ({ verdict }: Hunted): boolean => verdict === 'survived' || verdict === 'not covered';
const earlier = values.again === undefined ? undefined : (JSON.parse(readFileSync(values.again, 'utf8')) as Hunted[]);
const { scores, hunted, stale, unusable } = await mutate({
  root: process.cwd(),
  folders: values.folder,
  files: values.file,
  keys: earlier && new Set(earlier.filter(isAlive).map(({ mutant }) => keyOf(mutant))),
  sample: values.sample === undefined ? Number.POSITIVE_INFINITY : Number(values.sample),
  seed: Number(values.seed),
  budget: Number(values.budget) * 1000,
  fresh: values.fresh,
  near: values.near,
  progress: (text) => console.error(text),
});
for (const line of unusable) console.log(`Left out: ${line}`);
for (const line of stale) console.log(`No such mutant (test/mutate/equivalent.json): ${line}`);
for (const { mutant, verdict } of hunted.filter(isAlive)) console.log(`${verdict}: ${describeMutant(mutant)}`);
console.log(printTable(scores));
if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(hunted, null, 1));
