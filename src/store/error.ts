/** The error that a store throws when the fault is not the caller's. Nothing of the failed call has been kept. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly reason: StoreFailure;
  /** True when the same call may succeed later without a change of the program or the request. */
  readonly retryable: boolean;

  constructor(reason: StoreFailure, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.reason = reason;
    this.retryable = RETRYABLE.has(reason);
  }
}

export type StoreFailure =
  /** The disk has no space left. */
  | 'full'
  /** The server of the database cannot be reached, or refuses every connection. */
  | 'away'
  /** A failed write or sync, or a database that cannot be written now. */
  | 'unwritable'
  /** The file was removed or replaced while it was in use: what is written to it is lost. */
  | 'displaced'
  /** Another process holds the database for longer than we wait. */
  | 'busy'
  /** The file is no database, or a damaged one. */
  | 'damaged'
  /** Written by a newer version of this program. */
  | 'newer'
  /** Nodes of another version are at work, and this one cannot work beside them. */
  | 'mixed'
  /** Written by a version that this one no longer reads. */
  | 'older'
  /** The database does not keep the settings that durability needs. */
  | 'settings'
  /** An object with old matches is gone, damaged, or cannot be reached. */
  | 'cold'
  /** Something with this id or name is there already. */
  | 'exists'
  /** Another process holds the lease that the write needs. */
  | 'fenced'
  /** The database works, and refuses what it was given: a value, a constraint, a trigger. */
  | 'refused'
  /** Anything else: a defect of ours. */
  | 'defect';

const RETRYABLE: ReadonlySet<StoreFailure> = new Set(['full', 'away', 'unwritable', 'displaced', 'busy']);

/** The message for a database that is `older`. */
export const OLDER =
  'The database was written by a version before 0.2.0. Start version 0.2.0 on it once, then this version.';
