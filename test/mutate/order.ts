/** The messages of the tool and its workers to each other. */
export interface Order {
  readonly jobs: readonly Job[];
  /** How many there are in all. */
  readonly mutants: number;
  /** Whether to record which test reaches which mutant. */
  readonly record: boolean;
  /** The file in which threads and processes of the tests record it. */
  readonly reachedElsewhere: string;
  /** The file that outcomes are added to, one JSON a line. */
  readonly answers: string;
  readonly testTimeout: number;
}

export interface Job {
  /** The number of the mutant; 0: none. */
  readonly number: number;
  /** Ids of the tests to run; all when missing. */
  readonly tests?: string[];
  readonly mostHits?: number;
}

export interface Outcome {
  readonly job: number;
  /** `stray`: every test passed, and something was thrown outside of them. */
  readonly state: 'begun' | 'passed' | 'failed' | 'stray';
  /** The message of the first failure. */
  readonly failed?: readonly string[];
  /** The id of the first test that failed; missing when it was not a test, but a hook or the file itself. */
  readonly failedTest?: string;
  readonly reach?: Reach;
  readonly times?: Readonly<Record<string, number>>;
}

/** Numbers of mutants that were reached, with how often. */
export type Counts = Readonly<Record<number, number>>;

export interface Reach {
  /** While modules were loaded, in hooks, and between tests. */
  readonly shared: Counts;
  readonly byTest: Readonly<Record<string, Counts>>;
}
