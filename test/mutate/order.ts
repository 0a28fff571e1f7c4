/** The messages of the tool and its worker to each other. */

/** How the failure of a test that never ends begins. */
export const HUNG = 'It hung';

/** One test file, with one mutant on. */
export interface Job {
  readonly testFile: string;
  /** The number of the mutant; 0: none. */
  readonly number: number;
  /** Ids of the tests to run; all when missing. */
  readonly tests?: readonly string[];
  /** Whether the mutant must be on while modules are loaded: those that are there are loaded anew. */
  readonly whileLoading: boolean;
  readonly mostHits: number;
  /** Of one test, in milliseconds. */
  readonly testTimeout: number;
  /** Records which test reaches which mutant. */
  readonly record?: {
    /** How many mutants there are in all. */
    readonly mutants: number;
    /** The file in which threads and processes of the tests record it. */
    readonly elsewhere: string;
  };
}

export interface Outcome {
  /** `stray`: every test passed, and something was thrown outside of them. */
  readonly state: 'passed' | 'failed' | 'stray';
  /** The message of the first failure. */
  readonly failed: string | undefined;
  /** The id of the first test that failed; undefined when it was not a test, but a hook or the file itself. */
  readonly failedTest: string | undefined;
  readonly reach?: Reach;
  /** Milliseconds by test. */
  readonly times?: Readonly<Record<string, number>>;
  /** Bytes of memory that the worker holds. */
  readonly memory: number;
}

/** One mutant that a test meets. */
export interface Shot {
  readonly number: number;
  readonly mostHits: number;
}

/** One test file that is loaded once: each of its tests runs once for each of these mutants, until one notices the mutant. */
export interface Series {
  readonly testFile: string;
  /** By the id of the test. */
  readonly tests: Readonly<Record<string, { readonly shots: readonly Shot[]; readonly timeout: number }>>;
  /** The file in which the worker notes what it does, at once: it may die of the next mutant. */
  readonly notes: string;
}

/**
 * `doubtful`: the test failed without the mutant as well, or something was thrown outside of it. `begun` alone: the
 * worker died.
 */
export interface Note {
  readonly state: 'begun' | 'passed' | 'failed' | 'doubtful';
  readonly test: string;
  readonly number: number;
  /** The message of the failure. */
  readonly said?: string;
}

export interface ToWorker {
  readonly mutate: Job | Series | 'end';
}

export interface FromWorker {
  readonly mutated: Outcome | 'ready';
}

/** Numbers of mutants that were reached, with how often. */
export type Counts = Readonly<Record<number, number>>;

export interface Reach {
  /** While modules were loaded. */
  readonly loading: Counts;
  /** In hooks, and between tests. */
  readonly shared: Counts;
  readonly byTest: Readonly<Record<string, Counts>>;
  /** Milliseconds of CPU by test, with that of its processes. */
  readonly cpu: Readonly<Record<string, number>>;
}
