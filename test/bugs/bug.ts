/** A bug that would hurt a user, as a change of one place in the code, and the test that must notice it. */
export interface Bug {
  /** Short, with the area before it: `ingest-early-answer`. */
  readonly id: string;
  /** Who loses what. */
  readonly hurts: string;
  readonly file: string;
  /** Stands in the file exactly once. */
  readonly find: string;
  readonly replace: string;
  readonly caughtBy: { readonly file: string; readonly test: string };
}
