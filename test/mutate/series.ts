/** Runs each test of a loaded file for one mutant after another. A test that fails runs once more without, right after. */
import { appendFileSync } from 'node:fs';
import type { RunnerTestCase } from 'vitest';
import type { Note, Series, Shot } from './order.ts';
import { ACTIVE } from './switch.ts';

export interface SeriesRun {
  /** Before a test: how often it runs. */
  prepare(test: RunnerTestCase): void;
  /** Before each time that it runs. */
  begin(test: RunnerTestCase, repeat: number, retry: number): void;
  /** After the last time. */
  finish(test: RunnerTestCase): void;
  /** Something was thrown that no test caught. */
  stray(): void;
}

declare global {
  var sluiceSeries: SeriesRun | undefined;
}

/** After so many failures without a mutant the process has met too much. */
const MOST_DOUBTS = 5;

const NONE: Shot = { number: 0, mostHits: Number.POSITIVE_INFINITY };

export function createSeries({ tests, notes }: Series): SeriesRun {
  /** Mutants that a test has noticed, or that must be tried alone. */
  const settled = new Set<number>();
  let shots: readonly Shot[] = [];
  let isStray = false;
  let isSpoiled = false;
  let doubts = 0;
  const note = (one: Note): void => appendFileSync(notes, `${JSON.stringify(one)}\n`);
  const turnOn = ({ number, mostHits }: Shot): void => {
    Object.assign(globalThis.sluiceMutants!, { active: number, hits: 0, mostHits });
    process.env[ACTIVE] = String(number);
  };
  /** What the attempts of one mutant, that have ended, say of it. */
  const judge = (test: RunnerTestCase, repeat: number): void => {
    const shot = shots[repeat];
    const attempts = (test.result?.attempts ?? []).filter(({ repeatIndex }) => repeatIndex === repeat);
    if (shot === undefined || isSpoiled) return;
    const { number } = shot;
    const said = attempts[0]?.errors?.[0]?.message.slice(0, 300) ?? '';
    // A hook times out as well when the process was stopped for a while.
    const isDoubtful = attempts.at(-1)?.state !== 'pass' || isStray || /timed out/.test(said);
    const state = isDoubtful ? 'doubtful' : attempts.length > 1 ? 'failed' : 'passed';
    note({ state, test: test.id, number, ...(state !== 'passed' && { said: `${test.id}: ${said}` }) });
    if (state !== 'passed') settled.add(number);
    // What spoils a test for one mutant does so for the next.
    if (state === 'doubtful') isSpoiled = true;
    isStray = false;
  };
  return {
    prepare(test) {
      shots = doubts > MOST_DOUBTS ? [] : (tests[test.id]?.shots ?? []).filter(({ number }) => !settled.has(number));
      isSpoiled = false;
      test.repeats = shots.length - 1;
      test.retry = 1;
      if (shots.length === 0) test.mode = 'skip';
    },
    begin(test, repeat, retry) {
      if (retry === 0 && repeat > 0) judge(test, repeat - 1);
      if (isSpoiled) throw new Error('The mutants that are left are not tried.');
      if (retry > 0) {
        turnOn(NONE);
        return;
      }
      const shot = shots[repeat]!;
      note({ state: 'begun', test: test.id, number: shot.number });
      turnOn(shot);
    },
    finish(test) {
      turnOn(NONE);
      judge(test, shots.length - 1);
      if (isSpoiled) doubts++;
    },
    stray() {
      isStray = true;
    },
  };
}
