/** A filter of matches that people come back to. */
export interface SavedView {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  /** The query string of the page of matches in the console. */
  readonly query: string;
  readonly createdAt: Date;
}
