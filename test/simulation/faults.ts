/**
 * The faults of the world. Calm and storm take turns: in a storm calls are slow, fail before they are done or after,
 * whole nodes are cut off from the store, and processes are frozen and killed.
 */
import { logUniform, pick, type Random } from '../../bench/random.ts';
import type { Life, Scheduler } from './scheduler.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** The fate of one call of a process to something outside it. */
export interface Fate {
  /** Milliseconds until it is done, and then until its answer is there. */
  readonly before: number;
  readonly after: number;
  /** `undone`: it fails and was never done. `unheard`: it is done, and the answer is lost. */
  readonly failure: 'undone' | 'unheard' | undefined;
}

export interface FaultCounts {
  kills: number;
  freezes: number;
  cuts: number;
  /** Times in which every call of a process was slow. */
  slowdowns: number;
  /** Calls that failed, and calls that were slow. */
  failures: number;
  delays: number;
}

export interface Faults {
  readonly counts: FaultCounts;
  readonly isStorm: boolean;
  /** Aborts when the next storm begins. */
  readonly nextStorm: AbortSignal;
  /** Returns undefined when the call is done at once. */
  fateOf(life: Life): Fate | undefined;
  /** True with this chance, in a storm. */
  happens(chance: number): boolean;
  /** Runs until that time; afterwards everything works. */
  run(until: number): Promise<void>;
}

/** The processes that the faults are done to. */
export interface Victims {
  /** Processes that are not dead. */
  lives(): readonly Life[];
  /** Kills a process; another takes its place later. */
  kill(life: Life): void;
  onCalm(): Promise<void>;
}

const FATES = { slow: 0.3, undone: 0.02, unheard: 0.02, cut: 0.5 };
/** After a storm, processes start again, thaw and catch up. */
const AFTERMATH_MS = 30 * SECOND;
/** About twenty storms a day: then a day costs half a minute of CPU, and what follows a storm has time to show. */
const LONGEST_CALM_MS = 120 * MINUTE;
const LONGEST_DELAY_MS = 2 * SECOND;
/** Some freezes outlast a lease or what others wait for a node, some do not. */
const FREEZE_MS = [0.5 * SECOND, 60 * SECOND] as const;
/** Shorter than what an arrival waits for its registration to become known. */
const CUT_MS = [0.2 * SECOND, 20 * SECOND] as const;

interface Storm {
  readonly scheduler: Scheduler;
  readonly victims: Victims;
  readonly counts: FaultCounts;
  /** Until when each process is cut off from the store. */
  readonly cutUntil: Map<Life, number>;
  /** Until when each call of a process is slow. */
  readonly slowUntil: Map<Life, number>;
}

export function createFaults(scheduler: Scheduler, victims: Victims): Faults {
  const { random } = scheduler;
  const counts: FaultCounts = { kills: 0, freezes: 0, cuts: 0, slowdowns: 0, failures: 0, delays: 0 };
  const storm: Storm = { scheduler, victims, counts, cutUntil: new Map(), slowUntil: new Map() };
  let isStorm = false;
  let nextStorm = new AbortController();

  return {
    counts,
    get isStorm() {
      return isStorm;
    },
    get nextStorm() {
      return nextStorm.signal;
    },
    fateOf(life) {
      if (!isStorm) return undefined;
      const isIn = (times: Map<Life, number>) => (times.get(life) ?? 0) > scheduler.now;
      const fate = drawFate(random, isIn(storm.cutUntil), isIn(storm.slowUntil));
      if (fate?.failure !== undefined) counts.failures++;
      else if (fate !== undefined) counts.delays++;
      return fate;
    },
    happens: (chance) => isStorm && random() < chance,
    async run(until) {
      const longestCalm = Math.min(LONGEST_CALM_MS, (until - scheduler.now) / 6);
      while (scheduler.now < until) {
        await scheduler.pause(Math.min(between(random, SECOND, longestCalm), until - scheduler.now));
        if (scheduler.now >= until) return;
        const end = Math.min(scheduler.now + between(random, 20 * SECOND, 5 * MINUTE), until);
        isStorm = true;
        scheduler.note('storm');
        scheduler.stir(end + AFTERMATH_MS - scheduler.now);
        nextStorm.abort('storm');
        nextStorm = new AbortController();
        await blow(storm, end);
        isStorm = false;
        storm.cutUntil.clear();
        storm.slowUntil.clear();
        scheduler.note('calm');
        await victims.onCalm();
      }
    },
  };
}

function drawFate(random: Random, isCut: boolean, isSlow: boolean): Fate | undefined {
  const wait = () => (isSlow ? logUniform(random, 100, 3 * SECOND) : delay(random));
  const [drawn, before, after] = [random(), wait(), wait()];
  if (isCut) return { before, after: 0, failure: drawn < FATES.cut ? 'undone' : 'unheard' };
  if (drawn < FATES.undone) return { before, after, failure: 'undone' };
  if (drawn < FATES.undone + FATES.unheard) return { before, after, failure: 'unheard' };
  return isSlow || drawn < FATES.undone + FATES.unheard + FATES.slow
    ? { before, after, failure: undefined }
    : undefined;
}

/** One thing after another befalls some process, until the storm is over. */
async function blow(storm: Storm, until: number): Promise<void> {
  const { scheduler, victims } = storm;
  const { random } = scheduler;
  while (scheduler.now < until) {
    await scheduler.pause(Math.min(logUniform(random, 50, 30 * SECOND), until - scheduler.now));
    const life = pick(random, victims.lives());
    if (life !== undefined && scheduler.now < until) strike(storm, life);
  }
}

function strike(storm: Storm, life: Life): void {
  const { scheduler, victims, counts, cutUntil, slowUntil } = storm;
  const drawn = scheduler.random();
  const later = () => scheduler.now + logUniform(scheduler.random, ...CUT_MS);
  if (drawn < 0.25) {
    counts.kills++;
    victims.kill(life);
  } else if (drawn < 0.5) void freeze(storm, life);
  else if (drawn < 0.7) {
    counts.cuts++;
    cutUntil.set(life, later());
    scheduler.note(`${life.name} cut off`);
  } else {
    counts.slowdowns++;
    slowUntil.set(life, later());
    scheduler.note(`${life.name} slowed down`);
  }
}

async function freeze({ scheduler, counts }: Storm, life: Life): Promise<void> {
  if (life.state !== 'running') return;
  counts.freezes++;
  scheduler.freeze(life);
  await scheduler.pause(logUniform(scheduler.random, ...FREEZE_MS));
  scheduler.thaw(life);
}

const delay = (random: Random): number =>
  random() < 0.9 ? logUniform(random, 1, 50) : logUniform(random, 50, LONGEST_DELAY_MS);
export const between = (random: Random, from: number, to: number): number => Math.floor(from + random() * (to - from));
