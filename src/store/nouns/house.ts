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
  /** What this process has asked of the database, since it opened it and now. */
  figures(): StoreFigures;
  backup(path: string): Promise<void>;
  /**
   * Throws unless the database is writable, its settings are the required ones, and a commit of so many bytes fits on
   * the disk: a row of them is really stored, and removed.
   */
  check(room?: number): Promise<void>;
}

export interface StoreFigures {
  /** Connections of this process, and callers that wait for one. SQLite has one that writes. */
  readonly connections: { readonly open: number; readonly idle: number; readonly waiting: number };
  /** How often something waited for the one place where matches are given their positions, and for how long in all. */
  readonly lock: { readonly waits: number; readonly seconds: number };
}

export interface RetentionBacklog {
  /** How long the oldest row that should be gone has been past its time; 0 when nothing is late. */
  readonly lateMs: number;
}
