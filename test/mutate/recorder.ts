/** Records which mutants each test reaches. */
import type { Reach } from './order.ts';

export interface Recorder {
  reached(number: number): void;
  enter(testId: string): void;
  leave(): void;
  reach(): Reach;
}

declare global {
  var sluiceRecorder: Recorder | undefined;
}

export function createRecorder(mutants: number): Recorder {
  const counts = new Float64Array(mutants + 1);
  const shared: Record<number, number> = {};
  const byTest: Record<string, Record<number, number>> = {};
  let touched: number[] = [];
  let current = shared;
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
    enter(testId) {
      byTest[testId] ??= {};
      change(byTest[testId]);
    },
    leave: () => change(shared),
    reach() {
      change(shared);
      return { shared, byTest };
    },
  };
}
