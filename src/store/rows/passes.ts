/** Rows of passes. */
import type { Pass } from '../store.ts';

/** One key has no more; those used longest ago go first. */
export const PASSES_OF_KEY = 1_000;

export interface PassRow {
  readonly digest: string;
  readonly account: string;
  readonly key: string;
  readonly ends_at: number;
  readonly used_at: number;
}

export const passOf = (row: PassRow): Pass => ({
  digest: row.digest,
  accountId: row.account,
  keyId: row.key,
  endsAt: new Date(row.ends_at),
  usedAt: new Date(row.used_at),
});
