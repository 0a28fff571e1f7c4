/** Keeping house. Not scoped by account. */
export interface HouseStore {
  /** Two equal answers mean that nothing was changed in between, by any process: what was read then is still true. */
  version(): Promise<string>;
  /** Takes a slice of what must leave the disk, and says whether there is more. */
  removeSlice(now: Date): Promise<{ more: boolean }>;
  /** How far removal lags behind: a rise over hours means that matches come faster than old ones can be removed. */
  retentionBacklog(now: Date): Promise<RetentionBacklog>;
  /** How much room the database takes on its disk, free pages and the log included. */
  databaseBytes(): Promise<number>;
  backup(path: string): Promise<void>;
  /**
   * Throws unless the database is writable, its settings are the required ones, and a commit of so many bytes fits on
   * the disk: a row of them is really stored, and removed.
   */
  check(room?: number): Promise<void>;
}

export interface RetentionBacklog {
  /** How long the oldest row that should be gone has been past its time; 0 when nothing is late. */
  readonly lateMs: number;
}
