/** The messages of the tool and its worker to each other. */

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

export interface ToWorker {
  readonly mutate: Job | 'end';
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
