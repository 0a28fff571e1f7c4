/** Rows of leases and gaps. */
import type { Gap } from '../../domain/gap.ts';
import type { Platform } from '../../domain/platform.ts';
import { dateOrNone, decodeText } from './texts.ts';

/** Broken records kept of each platform. */
export const BROKEN_KEPT = 1_000;

export interface LeaseRow {
  readonly holder: string;
  readonly fence: number;
  readonly until: number;
}

export interface GapRow {
  readonly platform: Platform;
  readonly from_at: number;
  readonly to_at: number | null;
  readonly cause: string;
  readonly recovered: number;
}

export const gapOf = (row: GapRow): Gap => ({
  platform: row.platform,
  from: new Date(row.from_at),
  to: dateOrNone(row.to_at),
  cause: decodeText(row.cause),
  recovered: row.recovered === 1,
});
