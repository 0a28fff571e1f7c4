/**
 * Drift by chance: between two comparisons, others add, take away and change what the upstream holds, and rules come and
 * go. After each round everything must be as wanted again, and nothing that is not ours may have been touched.
 */
import { pick, type Random, randomFrom } from '../../bench/random.ts';
import type { HeldRule } from '../../src/platforms/platform.ts';
import { registrationStage } from '../stages/registration-stage.ts';

const MINUTE = 60_000;
/** A comparison falls into it. */
const LOSING = 6 * MINUTE;
/** Long enough for what is nobody's to go: ten minutes, and a comparison on either side. */
const SETTLED = 21 * MINUTE;

export interface DriftReport {
  readonly rounds: number;
  /** What others did, by kind. */
  readonly drifts: Record<string, number>;
  /** Rounds after which something was missing, doubled or left over. */
  readonly unsettled: string[];
  readonly foreignTouched: number;
}

type Stage = Awaited<ReturnType<typeof registrationStage>>;

export async function driftRounds(options: { rounds: number; seed: number; limit?: number }): Promise<DriftReport> {
  const random = randomFrom(options.seed);
  await using test = await registrationStage({ options: options.limit === undefined ? {} : { limit: options.limit } });
  const ids = new Map<string, string>();
  const drifts: Record<string, number> = {};
  const unsettled: string[] = [];
  let foreignTouched = 0;
  let last = 0;
  ids.set((await test.create('first')).rule_id, 'first');
  // All but the last part, which is a registration's own.
  const mark = [...test.x.rules.values()][0]!.tag!.replace(/[^-]*$/, '');
  for (let round = 0; round < options.rounds; round++) {
    if (random() < 0.2) {
      loseAnswers(test);
      drifts['lost answers'] = (drifts['lost answers'] ?? 0) + 1;
    }
    await changeRules(test, ids, random, () => `w${last++}`);
    keepAnswers(test);
    for (let left = 1 + Math.floor(random() * 3); left > 0; left--) {
      const kind = pick(random, KINDS);
      drifts[kind] = (drifts[kind] ?? 0) + 1;
      DRIFTS[kind](test, random, `foreign${round}-${left}`, mark);
    }
    const foreign = [...test.x.rules.values()].filter((one) => !isMarked(one, mark));
    await test.clock.pass(LOSING);
    keepAnswers(test);
    await test.clock.pass(SETTLED);
    foreignTouched += foreign.filter((one) => test.x.rules.get(one.id) !== one).length;
    const problem = problemOf(test, new Set(ids.values()), mark);
    if (problem !== undefined) unsettled.push(`round ${round}: ${problem}`);
    // Strangers leave again, or there would be no slots left for us.
    for (const { id } of foreign.slice(3)) test.x.rules.delete(id);
  }
  return { rounds: options.rounds, drifts, unsettled, foreignTouched };
}

/** Some rules come, some go. */
async function changeRules(test: Stage, ids: Map<string, string>, random: Random, word: () => string): Promise<void> {
  const made = Array.from({ length: 1 + Math.floor(random() * 4) }, word).map(async (value) => {
    // Where the answer was lost there is no rule, and nothing of it may stay.
    const rule = await test.create(value).catch(() => undefined);
    if (rule !== undefined) ids.set(rule.rule_id, value);
  });
  const gone = [...ids.keys()].filter(() => ids.size > 20 && random() < 0.15);
  const removed = gone.map(async (id) => {
    await test.remove(id);
    ids.delete(id);
  });
  // A creation may wait for slots that come free with time.
  await Promise.all([...made, ...removed, test.clock.pass(MINUTE)]);
}

/** Everything is carried out, and the answers never come. */
function loseAnswers({ x }: Stage): void {
  x.lost = true;
  x.faults.register = 'timeout';
  x.faults.unregister = 'timeout';
}

function keepAnswers({ x }: Stage): void {
  x.lost = false;
  delete x.faults.register;
  delete x.faults.unregister;
}

const isMarked = ({ tag }: HeldRule, mark: string): boolean => tag?.startsWith(mark) === true;

type Drifting = (test: Stage, random: Random, name: string, mark: string) => void;

const some = ({ x }: Stage, random: Random): HeldRule | undefined => pick(random, [...x.rules.values()]);
const put = ({ x }: Stage, rule: HeldRule): void => void x.rules.set(rule.id, rule);

const DRIFTS = {
  taken: (test, random) => void test.x.rules.delete(some(test, random)?.id ?? ''),
  'all taken': (test) => test.x.rules.clear(),
  'half taken': (test, random) => {
    for (const id of test.x.rules.keys()) if (random() < 0.5) test.x.rules.delete(id);
  },
  foreign: (test, _, name) => put(test, { id: name, value: `${name} cats`, flags: {}, tag: undefined }),
  'another instance': (test, _, name) =>
    put(test, { id: name, value: `${name} dogs`, flags: {}, tag: 'sluice-0123456789ab-7' }),
  'answers lost meanwhile': (test) => loseAnswers(test),
  doubled: (test, random, name) => {
    const one = some(test, random);
    if (one !== undefined) put(test, { ...one, id: name });
  },
  stray: (test, _, name, mark) => put(test, { id: name, value: `${name} birds`, flags: {}, tag: `${mark}stray` }),
  'tag lost': (test, random) => {
    const one = some(test, random);
    if (one !== undefined) put(test, { ...one, tag: undefined });
  },
  'tag of another': (test, random) => {
    const [one, other] = [some(test, random), some(test, random)];
    if (one !== undefined) put(test, { ...one, tag: other?.tag });
  },
  'made again by hand': (test, random, name) => {
    const one = some(test, random);
    if (one === undefined) return;
    test.x.rules.delete(one.id);
    put(test, { ...one, id: name, tag: undefined });
  },
  'value changed': (test, random, name) => {
    const one = some(test, random);
    if (one !== undefined) put(test, { ...one, value: `${name} fish` });
  },
} satisfies Record<string, Drifting>;
const KINDS = Object.keys(DRIFTS) as (keyof typeof DRIFTS)[];

function problemOf(test: Stage, wanted: ReadonlySet<string>, mark: string): string | undefined {
  const covered = test.covered();
  const missing = [...wanted].filter((value) => !covered.includes(value));
  if (missing.length > 0) return `missing ${missing.join(', ')}`;
  const odd = [...test.x.rules.values()].filter(
    (one) => isMarked(one, mark) && typeof test.registrations.resolve('x', one.id) !== 'object',
  );
  return odd.length > 0 ? `left over ${odd.map(({ value }) => value).join(', ')}` : undefined;
}
