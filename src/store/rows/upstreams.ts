/** Rows of leases, and how many broken records are kept. */

/** Broken records kept of each platform. */
export const BROKEN_KEPT = 1_000;

export interface LeaseRow {
  readonly holder: string;
  readonly fence: number;
  readonly until: number;
}
