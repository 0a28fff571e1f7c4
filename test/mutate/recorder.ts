/** Records which mutants each test reaches. */
import { readFileSync } from 'node:fs';
import type { Reach } from './order.ts';

export interface Recorder {
  reached(number: number): void;
  /** All modules of the file are there; its hooks and tests begin. */
  loaded(): void;
  enter(testId: string): void;
  leave(): void;
  reach(): Reach;
}

declare global {
  var sluiceRecorder: Recorder | undefined;
}

/** Milliseconds, with those of child processes that have ended. */
function cpuSoFar(): number {
  const { user, system } = process.cpuUsage();
  const fields = readFileSync('/proc/self/stat', 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return (user + system) / 1_000 + (Number(fields[13]) + Number(fields[14])) * MS_PER_TICK;
}

const MS_PER_TICK = 10;

export function createRecorder(mutants: number): Recorder {
  const counts = new Float64Array(mutants + 1);
  const loading: Record<number, number> = {};
  const shared: Record<number, number> = {};
  const byTest: Record<string, Record<number, number>> = {};
  let touched: number[] = [];
  const cpu: Record<string, number> = {};
  let test: { readonly id: string; readonly since: number } | undefined;
  let current = loading;
  const change = (next: Record<number, number>): void => {
    for (const number of touched) {
      current[number] = (current[number] ?? 0) + counts[number]!;
      counts[number] = 0;
    }
    touched = [];
    current = next;
  };
  return {
    reached(number) {
      if (counts[number]!++ === 0) touched.push(number);
    },
    loaded: () => change(shared),
    enter(testId) {
      byTest[testId] ??= {};
      change(byTest[testId]);
      test = { id: testId, since: cpuSoFar() };
    },
    leave() {
      change(shared);
      if (test === undefined) return;
      cpu[test.id] = (cpu[test.id] ?? 0) + cpuSoFar() - test.since;
      test = undefined;
    },
    reach() {
      change(shared);
      return { loading, shared, byTest, cpu };
    },
  };
}
