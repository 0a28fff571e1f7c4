import type { SharedMemory } from '../core/core-memory.ts';

/** What a matcher and the thread that gives it lines tell each other, in memory that both see: one integer each. */
export const CELL = {
  state: 0,
  /** Which of the engines the lines are for, and how many lines there are. */
  engine: 1,
  lines: 2,
  /** How many of them were matched. */
  matched: 3,
} as const;

export const CELLS_BYTES = 16;

export const STATE = {
  idle: 0,
  /** Lines are there: the matcher has them. */
  busy: 1,
  /** What came of the lines is there: the writer has it. */
  done: 2,
  /** Matching threw. What the scratch holds is of no use. */
  failed: 3,
} as const;

/** What a matcher is started with. */
export interface MatcherOrder {
  readonly module: WebAssembly.Module;
  readonly cells: SharedArrayBuffer;
  readonly engines: readonly {
    readonly memory: SharedMemory;
    readonly scratch: number;
    readonly arePages: boolean;
  }[];
}
