/**
 * `npm run bugs`: plants each bug of the catalogue, runs the test that must catch it, and ends with status 1 when one survives.
 *
 *     --only ID    this bug; may be given several times
 *     --sample N   so many of them    --seed S   which ones
 */
import { parseArgs } from 'node:util';
import { randomFrom } from '../../bench/random.ts';
import { BUGS } from './catalogue.ts';
import { tryBugs } from './try-bugs.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
  },
});
const random = randomFrom(Number(values.seed));
const asked = values.only === undefined ? BUGS : BUGS.filter(({ id }) => values.only!.includes(id));
const chosen =
  values.sample === undefined
    ? asked
    : asked
        .map((bug) => ({ bug, place: random() }))
        .toSorted((one, other) => one.place - other.place)
        .slice(0, Number(values.sample))
        .map(({ bug }) => bug);
if (chosen.length === 0) {
  console.error('There is no such bug in test/bugs/catalogue.');
  process.exit(2);
}
console.log(`${chosen.length} of ${BUGS.length} bugs, seed ${values.seed}`);
const tried = tryBugs(process.cwd(), chosen, ({ bug, verdict, by }) => console.log(`${verdict}: ${bug.id} ${by}`));
const survived = tried.filter(({ verdict }) => verdict === 'survived');
for (const { bug } of survived) console.log(`Survived: ${bug.id} in ${bug.file}. ${bug.hurts}`);
console.log(`${tried.length - survived.length} caught, ${survived.length} survived`);
process.exitCode = survived.length === 0 ? 0 : 1;
