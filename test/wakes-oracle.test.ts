/**
 * Random wake contracts, each decided in batches of any size by a process that is killed again and again, against an oracle that
 * looks at one match after another and at all that came before it. `SLUICE_WAKE_POLICIES` says how many contracts are tried.
 */
import { expect, it } from 'vitest';
import { type Random, randomFrom } from '../bench/random.ts';
import {
  type QuietHours,
  type WakeAccount,
  type WakeContract,
  type WakeStory,
  type WakeTerms,
  WEEKDAYS,
} from '../src/domain/wake.ts';
import { accountOfColumn, wakeAccountColumn } from '../src/store/nouns/webhooks.ts';
import { decideWakes, digestDue, type WakeCandidate } from '../src/wakes/decide.ts';
import { afterQuiet } from '../src/wakes/local-time.ts';
import { rehearse } from '../src/wakes/rehearse.ts';
import { isQuietBySight, MINUTE, walkTo } from './stages/wall-clock.ts';

const POLICIES = Number(process.env['SLUICE_WAKE_POLICIES'] ?? 150);
const SEED = Number(process.env['SLUICE_WAKE_SEED'] ?? 20_261_115);
const HOUR = 3_600_000;

/** When a match is decided, and what is known of it. */
interface Given extends WakeCandidate {
  readonly now: number;
  readonly at: number;
}

/** `wake` and the time, or the digest and its time. A digest is named by its first match. */
type Told = string;

const chance = (random: Random, share: number): boolean => random() < share;
const pick = <T>(random: Random, list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
const timeOfDay = (random: Random): string =>
  `${String(Math.floor(random() * 24)).padStart(2, '0')}:${pick(random, ['00', '15', '30', '59'])}`;
const ZONES = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'UTC'];

function randomHours(random: Random): QuietHours {
  const [from, to] = [timeOfDay(random), chance(random, 0.1) ? '24:00' : timeOfDay(random)];
  // Such hours are refused: nothing would ever wake.
  if (from === to || (from === '00:00' && to === '24:00')) return randomHours(random);
  const days = chance(random, 0.3) ? WEEKDAYS.filter(() => chance(random, 0.4)) : [];
  return { from, to, zone: pick(random, ZONES), ...(days.length > 0 && { days }) };
}

const randomContract = (random: Random): WakeContract => ({
  per: pick(random, ['match', 'story'] as const),
  ...(chance(random, 0.5) && {
    atMost: { count: 1 + Math.floor(random() * 4), window: pick(random, ['hour', 'day'] as const) },
  }),
  ...(chance(random, 0.4) && { minRelevance: random() }),
  ...(chance(random, 0.7) && { quiet: randomHours(random) }),
  ...(chance(random, 0.6) && {
    digest: {
      ...(chance(random, 0.6) && { at: timeOfDay(random), zone: pick(random, ZONES) }),
      ...(chance(random, 0.6) && { whenWaiting: 1 + Math.floor(random() * 6) }),
    },
  }),
  ...(chance(random, 0.3) && { unless: pick(random, RULES) }),
  ...(chance(random, 0.5) && { when: randomTerms(random) }),
});

const RULES = ['rule a', 'rule b', 'rule c'];

function randomTerms(random: Random): WakeTerms {
  if (chance(random, 0.2)) return { quietFor: Math.ceil(random() * 300) * MINUTE };
  if (chance(random, 0.2)) return { without: pick(random, RULES), within: Math.ceil(random() * 300) * MINUTE };
  return {
    within: Math.ceil(random() * 600) * MINUTE,
    ...(chance(random, 0.8) && { count: 1 + Math.floor(random() * 4) }),
    ...(chance(random, 0.5) && { distinct: 'author' }),
    ...(chance(random, 0.4) && { after: pick(random, RULES) }),
  };
}

/** Over some days, half of the time around the end or the beginning of summer time. */
function randomMatches(random: Random): Given[] {
  let now = Date.parse(
    pick(random, ['2026-03-28T06:00Z', '2026-10-24T06:00Z', '2026-11-15T06:00Z', '2026-06-05T06:00Z']),
  );
  return Array.from({ length: 20 + Math.floor(random() * 60) }, () => {
    now += chance(random, 0.5) ? 0 : Math.floor(random() ** 3 * 8 * HOUR);
    return {
      now,
      // Somewhat earlier than it is decided, and never before one that was stored before it.
      at: now - (now % MINUTE),
      ruleId: pick(random, RULES),
      isAnswered: chance(random, 0.4),
      key: chance(random, 0.9) ? pick(random, ['ada', 'bob', 'cyd', 'dee']) : undefined,
      story: chance(random, 0.8) ? `story ${Math.floor(random() * 8)}` : undefined,
      relevance: chance(random, 0.7) ? random() : null,
      isSilenced: chance(random, 0.1),
    };
  });
}

/** The program's decisions. One is stored whole, or not at all when the process is killed before. */
function decided(contract: WakeContract, given: readonly Given[], random: Random): Told[] {
  let stored: { column: string | undefined; stories: string } = { column: undefined, stories: '[]' };
  const open = new Map<number, number[]>();
  const told: Told[] = [];
  while (told.length < given.length) {
    const { now } = given[told.length]!;
    const most = told.length + 1 + Math.floor(random() * 12);
    const batch = given.slice(told.length, most).filter((one) => one.now === now);
    const account: WakeAccount | undefined = stored.column === undefined ? undefined : accountOfColumn(stored.column);
    const stories = new Map(JSON.parse(stored.stories) as [string, WakeStory][]);
    const at = new Date(now);
    const mostWakes = 1 + Math.floor(random() * 3);
    const decision = decideWakes(contract, { account, stories }, batch, { now: at, mostWakes });
    // It is killed before anything was stored, and another process decides anew.
    if (chance(random, 0.25)) continue;
    for (const [story, state] of decision.stories) stories.set(story, state);
    stored = { column: wakeAccountColumn(decision.account), stories: JSON.stringify([...stories]) };
    const first = told.length;
    const due = digestDue(contract, at).getTime();
    const held = decision.wakes.flatMap((isWake, index) => (isWake ? [] : [first + index]));
    const digest = [...(open.get(due) ?? []), ...held];
    open.set(due, digest);
    told.push(...decision.wakes.map((isWake) => (isWake ? `wake ${now}` : '')));
    if (!decision.isFull) continue;
    open.delete(due);
    const fullAt = afterQuiet(contract.quiet, at).getTime();
    for (const index of digest) told[index] = `digest ${digest[0]} ${fullAt}`;
  }
  for (const [due, digest] of open) for (const index of digest) told[index] = `digest ${digest[0]} ${due}`;
  return told;
}

/** Another rule matched within the hour before. */
const isInhibited = ({ unless }: WakeContract, given: readonly Given[], index: number): boolean =>
  given[index]!.ruleId !== unless &&
  given.slice(0, index).some(({ ruleId, at }) => ruleId === unless && given[index]!.at - at < HOUR);

/** Says what several matches that nothing else holds must do, by looking at all since the last wake. */
function firesAt(
  { when }: WakeContract,
  given: readonly Given[],
  index: number,
  free: readonly boolean[],
  woke: readonly boolean[],
): boolean {
  if (when === undefined) return free[index]!;
  const { within = 0, after, distinct, count = 1, quietFor, without } = when;
  const { ruleId: own, isAnswered } = given[index]!;
  if (without !== undefined) return free[index]! && own !== without && isAnswered !== true;
  const since = woke.lastIndexOf(true) + 1;
  const follows = (place: number): boolean => {
    const first = given.slice(since, place).findLast(({ ruleId }) => ruleId === after);
    return first !== undefined && given[place]!.at - first.at <= within;
  };
  const counts = (place: number): boolean =>
    free[place]! &&
    given[place]!.ruleId !== after &&
    (after === undefined || follows(place)) &&
    (distinct === undefined || given[place]!.key !== undefined);
  if (quietFor !== undefined)
    return (
      free[index]! && !given.some(({ at }, place) => place < index && free[place]! && given[index]!.at - at < quietFor)
    );
  if (!counts(index)) return false;
  const places = [...given.keys()].filter((place) => place >= since && place <= index && counts(place));
  const recent = places.filter((place) => given[index]!.at - given[place]!.at < within);
  const found = distinct === undefined ? recent.length : new Set(recent.map((place) => given[place]!.key)).size;
  return Math.max(found, 1) >= count;
}

interface OracleDigest {
  readonly due: number;
  closed: number | undefined;
  readonly matches: number[];
}

/** Decides by looking at everything that came before, for each match anew. */
function expected(contract: WakeContract, given: readonly Given[]): Told[] {
  const { per, atMost, minRelevance, quiet, digest } = contract;
  const windowOf = (time: number) => new Date(time).toISOString().slice(0, atMost?.window === 'hour' ? 13 : 10);
  const awake = (time: number): number => {
    let end = time;
    while (quiet !== undefined && isQuietBySight(quiet, end)) end = walkTo(quiet.zone, quiet.to, end);
    return end;
  };
  const dueOf = (now: number): number => {
    if (digest?.at !== undefined) return awake(walkTo(digest.zone!, digest.at, now));
    let end = Math.floor(now / HOUR) * HOUR + HOUR;
    while (windowOf(end) === windowOf(now)) end += HOUR;
    return awake(end);
  };
  const woke: boolean[] = [];
  const free: boolean[] = [];
  const digests: OracleDigest[] = [];
  for (const [index, { now, story, relevance, isSilenced }] of given.entries()) {
    const before = given.slice(0, index).map((one, place) => ({ ...one, woke: woke[place]! }));
    const used = before.filter((one) => one.woke && windowOf(one.now) === windowOf(now)).length;
    const isHeld =
      isSilenced === true ||
      (quiet !== undefined && isQuietBySight(quiet, now)) ||
      (per === 'story' && story !== undefined && before.some((one) => one.woke && one.story === story)) ||
      (minRelevance !== undefined && relevance !== null && relevance < minRelevance) ||
      (atMost !== undefined && used >= atMost.count);
    free.push(!isHeld && !isInhibited(contract, given, index));
    woke.push(firesAt(contract, given, index, free, woke));
    if (woke[index] === true) continue;
    const due = dueOf(now);
    const known = digests.find((one) => one.due === due && one.closed === undefined);
    const open: OracleDigest = known ?? { due, closed: undefined, matches: [] };
    if (known === undefined) digests.push(open);
    open.matches.push(index);
    if (open.matches.length === digest?.whenWaiting) open.closed = awake(now);
  }
  const told = woke.map((isWake, index) => (isWake ? `wake ${given[index]!.now}` : ''));
  for (const { due, closed, matches } of digests)
    for (const index of matches) told[index] = `digest ${matches[0]} ${closed ?? due}`;
  return told;
}

it(`${POLICIES} random contracts, with kills, tell of each match once, as an oracle does`, () => {
  console.log(`wake policies: ${POLICIES}, seed ${SEED}`);
  const random = randomFrom(SEED);
  let [wakes, held] = [0, 0];
  for (let policy = 0; policy < POLICIES; policy++) {
    const contract = randomContract(random);
    const given = randomMatches(random);
    const told = expected(contract, given);
    expect(decided(contract, given, random), `seed ${SEED}, policy ${policy}: ${JSON.stringify(contract)}`).toEqual(
      told,
    );
    wakes += told.filter((one) => one.startsWith('wake')).length;
    held += told.filter((one) => one.startsWith('digest')).length;
  }
  // Neither is a rare case.
  expect(Math.min(wakes, held) / (wakes + held)).toBeGreaterThan(0.1);
});

it('a rehearsal says what a webhook would have done, a second after each match', () => {
  const random = randomFrom(SEED + 1);
  for (let policy = 0; policy < Math.ceil(POLICIES / 3); policy++) {
    const contract = randomContract(random);
    // Matches that come within a second are decided together.
    const matches = randomMatches(random).map(({ now, ...one }) => ({ ...one, at: now - (now % 2_000) }));
    const { without, within = 0 } = contract.when ?? {};
    const told = expected(
      contract,
      matches.map((one, index) => ({
        ...one,
        now: one.at + 1_000 + (without === undefined ? 0 : within + 1_000),
        isAnswered: matches.some(
          (other, place) => place > index && other.ruleId === without && other.at - one.at <= within,
        ),
      })),
    );
    const { wakes, digests, held } = rehearse(contract, matches);
    const countOf = (kind: string) => told.filter((one) => one.startsWith(kind)).length;
    const about = `seed ${SEED + 1}, policy ${policy}: ${JSON.stringify(contract)}`;
    expect(
      wakes.reduce((sum, one) => sum + one.matches, 0),
      about,
    ).toBe(countOf('wake'));
    expect(held, about).toBe(countOf('digest'));
    const sizes = Map.groupBy(
      told.filter((one) => one.startsWith('digest')),
      (one) => one,
    );
    const byTime = [...sizes].map(([name, all]) => `${name.split(' ')[2]} ${all.length}`).toSorted();
    expect(digests.map(({ at, matches: count }) => `${at.getTime()} ${count}`).toSorted(), about).toEqual(byTime);
  }
});
