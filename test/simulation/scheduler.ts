/**
 * Virtual time, and the processes that live in it. A process waits only at timers of this scheduler, so between two of
 * them it can be frozen (its timers are held until it is thawed) or killed (they never run). Chance comes from the seed:
 * the same seed gives the same run.
 */
import { createHash } from 'node:crypto';
import { type Random, randomFrom } from '../../bench/random.ts';
import type { Clock } from '../../src/base/clock.ts';
import { type Timer, Timers } from './timers.ts';

/** One process, from its start to its end. */
export interface Life {
  readonly name: string;
  state: 'running' | 'frozen' | 'dead';
  /** Aborts when the process is killed. */
  readonly death: AbortSignal;
}

interface OwnedTimer extends Timer {
  readonly life: OwnLife | undefined;
  /** Stops listening for what could end the sleep early. */
  readonly forget: () => void;
}

interface OwnLife extends Life {
  readonly held: OwnedTimer[];
  readonly ending: AbortController;
}

export interface Scheduler {
  readonly random: Random;
  /** Milliseconds since 1970, in virtual time. */
  readonly now: number;
  /** Grows with every call: tells which of two things at the same time came first. */
  step(): number;
  note(line: string): void;
  /** The digest of everything that was noted. */
  digest(): string;
  begin(name: string): Life;
  freeze(life: Life): void;
  thaw(life: Life): void;
  kill(life: Life): void;
  /** The time as this process sees it; without one, as the world outside does. */
  clockOf(life?: Life): Clock;
  /** Resolves after a time. In a frozen process it waits longer, in a dead one for ever. */
  pause(milliseconds: number, life?: Life): Promise<void>;
  /** Something is going on, for this long: sleeps of processes end when they should. */
  stir(milliseconds: number): void;
  /** Lets everything happen up to a time. */
  runUntil(time: number): Promise<void>;
}

/**
 * While nothing is going on, a process that sleeps for less than this wakes up this much later, as on a machine that saves
 * power. It is shorter than the times after which others take a process for gone, and it makes idle hours cheap.
 */
const SLACK_MS = 6_000;
/** The work that a request or a post leads to is mostly done this long after it. */
export const AWAKE_MS = 1_500;
/** Characters of notes: to hash each line by itself takes longer than what most lines tell of. */
const HASHED_AT_ONCE = 65_536;
const START = Date.parse('2026-11-15T08:30:00.000Z');

export function createScheduler(seed: number, onNote?: (line: string) => void): Scheduler {
  const random = randomFrom(seed);
  const timers = new Timers<OwnedTimer>();
  const notes = createHash('sha256');
  let [now, steps, stirredUntil, unhashed] = [START, 0, START, ''];

  function note(line: string): void {
    const whole = `${now - START} ${line}`;
    unhashed += `${whole}\n`;
    if (unhashed.length > HASHED_AT_ONCE) hashNotes();
    onNote?.(whole);
  }
  function hashNotes(): void {
    notes.update(unhashed);
    unhashed = '';
  }
  function sleep(life: Life | undefined, milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const forget = () => signal?.removeEventListener('abort', leave);
      const run = () => {
        forget();
        resolve();
      };
      const place = { at: now + milliseconds, tie: random(), life: life as OwnLife | undefined };
      const timer = { ...place, run, forget, isCancelled: false };
      timers.add(timer);
      function leave(): void {
        timer.isCancelled = true;
        resolve();
      }
      signal?.addEventListener('abort', leave, { once: true });
    });
  }
  function fire(timer: OwnedTimer): boolean {
    if (timer.isCancelled || timer.life?.state === 'dead') return false;
    now = Math.max(now, timer.at);
    if (timer.life?.state === 'frozen') timer.life.held.push(timer);
    else timer.run();
    return true;
  }

  return {
    random,
    get now() {
      return now;
    },
    step: () => ++steps,
    note,
    digest() {
      hashNotes();
      return notes.copy().digest('hex');
    },
    begin: (name) => newLife(name),
    freeze: (life) => change(life, 'frozen'),
    thaw(life) {
      if (life.state !== 'frozen') return;
      change(life, 'running');
      for (const timer of (life as OwnLife).held.splice(0))
        timers.add(Object.assign(timer, { at: now, tie: random() }));
    },
    kill(life) {
      change(life, 'dead');
      // A timer that never runs, and a signal that is listened to, would keep the dead process in memory.
      const dropped = timers.drop((timer) => timer.life === life || timer.isCancelled);
      for (const timer of [...dropped, ...(life as OwnLife).held.splice(0)]) timer.forget();
      (life as OwnLife).ending.abort('killed');
    },
    clockOf: (life) => ({
      now: () => new Date(now),
      elapsed: () => now - START,
      sleep: (milliseconds, signal) =>
        sleep(life, life === undefined || now < stirredUntil ? milliseconds : Math.max(milliseconds, SLACK_MS), signal),
    }),
    pause: (milliseconds, life) => sleep(life, milliseconds, undefined),
    stir(milliseconds) {
      stirredUntil = Math.max(stirredUntil, now + milliseconds);
    },
    async runUntil(time) {
      await settled();
      for (let next = timers.first; next !== undefined && next.at <= time; next = timers.first) {
        if (fire(timers.takeFirst()!)) await settled();
      }
      now = Math.max(now, time);
    },
  };

  function change(life: Life, state: Life['state']): void {
    note(`${life.name} ${state}`);
    life.state = state;
  }
}

function newLife(name: string): OwnLife {
  const ending = new AbortController();
  return { name, state: 'running', death: ending.signal, ending, held: [] };
}

/** Everything that can run without time passing has run. */
async function settled(): Promise<void> {
  do await new Promise((resolve) => setImmediate(resolve));
  while (process.getActiveResourcesInfo().includes('Immediate'));
}
