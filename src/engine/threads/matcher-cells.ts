import type { SharedMemory } from '../core/core-memory.ts';

/** A matcher and the thread that gives it lines tell each other these integers, in memory that both see. */
export const CELL = {
  state: 0,
  /** The number of the engine that the lines are for, and of the lines. */
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
  /** The outcomes of the lines are there: the writer has them. */
  done: 2,
  /** Matching threw. What the scratch holds is of no use. */
  failed: 3,
} as const;

/** A matcher is started with this. */
export interface MatcherOrder {
  readonly module: WebAssembly.Module;
  readonly cells: SharedArrayBuffer;
  readonly engines: readonly {
    readonly memory: SharedMemory;
    readonly scratch: number;
    readonly arePages: boolean;
  }[];
}
