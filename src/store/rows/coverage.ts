/** Rows of gaps and feeds. What belongs to no account, rule or source has an empty name there. */
import type { FeedState } from '../../domain/feed.ts';
import type { Gap } from '../../domain/gap.ts';
import type { Platform } from '../../domain/platform.ts';
import type { FeedReport, GapQuery } from '../store.ts';
import { dateOrNone, decodeText, encodeText, textOrNull, timeOrNull } from './texts.ts';

export interface GapRow {
  readonly platform: Platform;
  readonly owner: string;
  readonly rule: string;
  readonly source: string;
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
  ...(row.owner !== '' && { accountId: row.owner }),
  ...(row.rule !== '' && { ruleId: row.rule }),
  ...(row.source !== '' && { source: row.source }),
});

export const gapValues = ({ platform, accountId = '', ruleId = '', source = '', ...gap }: Gap) => [
  platform,
  accountId,
  ruleId,
  source,
  gap.from.getTime(),
  timeOrNull(gap.to),
  encodeText(gap.cause),
  Number(gap.recovered),
];

/** Whose gaps a query asks for: of everybody, of the whole account, of a rule. `rule` undefined: of any rule. */
export function gapOwners({ accountId, ruleId }: GapQuery): { owner: string; rule: string | undefined }[] {
  const everybody = { owner: '', rule: '' };
  if (accountId === undefined) return [everybody];
  if (ruleId === undefined) return [everybody, { owner: accountId, rule: undefined }];
  return [everybody, { owner: accountId, rule: '' }, { owner: accountId, rule: ruleId }];
}

/** The newest of several lists. */
export const newestGaps = (gaps: readonly Gap[], limit: number): Gap[] =>
  gaps.toSorted((one, other) => other.from.getTime() - one.from.getTime()).slice(0, limit);

export interface FeedRow {
  readonly platform: Platform;
  readonly kind: FeedState['kind'];
  readonly name: string;
  readonly state: string;
  readonly reason: string | null;
  readonly through: number | null;
  readonly since: number;
  readonly at: number;
}

export const feedOf = ({ reason, through, since, at, ...row }: FeedRow): FeedState => ({
  ...row,
  reason: reason === null ? undefined : decodeText(reason),
  through: dateOrNone(through),
  since: new Date(since),
  at: new Date(at),
});

export const feedValues = ({ platform, kind, name, state, reason, through, at, since = at }: FeedReport) => [
  platform,
  kind,
  name,
  state,
  textOrNull(reason),
  timeOrNull(through),
  since.getTime(),
  at.getTime(),
];
