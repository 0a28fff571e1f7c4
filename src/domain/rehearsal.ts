/** A rule that is tried on history, as a job. What was asked for is a text that the service reads. */
export interface Rehearsal {
  readonly id: string;
  readonly accountId: string;
  readonly status: RehearsalStatus;
  readonly createdAt: Date;
  readonly endedAt: Date | undefined;
  readonly request: string;
  /** How many events were read. */
  readonly events: number;
  /** How much of the history was read, from 0 to 1; undefined when its size is not known. */
  readonly progress: number | undefined;
  /** Why it failed. */
  readonly error: string | undefined;
}

/** One that waits has not begun. One that runs takes turns with those of other accounts. */
export type RehearsalStatus = 'waiting' | 'running' | 'done' | 'failed' | 'cancelled';
