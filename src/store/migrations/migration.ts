/** One step of the schema. Steps are numbered, run once each in a transaction of their own, and only forward. */
export interface Migration {
  readonly name: string;
  readonly sql: string;
}
