/**
 * The feeds of each platform, and the gaps in which events are missing. They are not scoped, but for gaps of an
 * account. The gaps of a stream are written inside its commit, with the cursor that covers them.
 */
import type { FeedState, Gap } from '../../domain/coverage.ts';
import type { Platform } from '../../domain/platform.ts';
import type { RuleFlags } from '../../domain/rule.ts';
import type { Db } from '../db.ts';
import { encodeFlags, holdingOf } from '../rows/rule-rows.ts';
import { dateOrNone, decodeText, encodeText, textOrNull } from '../rows/texts.ts';
import { type Reading, readingsOf } from './readings.ts';

export interface CoverageStore {
  /** Newest first. */
  gaps(query: GapQuery): Promise<Gap[]>;
  /** The gaps that last, of every account. */
  openGaps(platform: Platform): Promise<Gap[]>;
  /**
   * A gap that is stored already, by what it is of and its start, takes the new end, cause and recovery; but what one
   * cause has lost is not recovered by the end of another.
   */
  noteGaps(gaps: readonly Gap[]): Promise<void>;
  /** Up to when the stream of an upstream was whole, gaps aside. */
  coverage(platform: Platform): Promise<Date | undefined>;
  /** The feeds of a platform: all, but of the pushes only those that reach the account. */
  feeds(platform: Platform, accountId?: string): Promise<FeedState[]>;
  /** `through` never goes back; a report without it does not change it. */
  noteFeeds(reports: readonly FeedReport[]): Promise<void>;
  /** Forgets the sources of a platform but these. */
  keepSources(platform: Platform, names: readonly string[]): Promise<void>;
  /** The reading of an open source in the minutes from one time to another, the last one included. */
  readings(source: string, from: Date, to: Date): Promise<Reading>;
  /** The live rules of any account that want this text held, paused ones aside. */
  rulesWith(platform: Platform, value: string, flags: RuleFlags): Promise<RuleOfAccount[]>;
}

/** Without `since` a feed begins with its first report; a source where it was first complete to. */
export type FeedReport = Omit<FeedState, 'since'> & { readonly since?: Date };

export interface RuleOfAccount {
  readonly accountId: string;
  readonly ruleId: string;
}

export interface GapQuery {
  readonly platform: Platform;
  /** Gaps that last beyond this time. */
  readonly since?: Date;
  /** Gaps that begin before this time. */
  readonly until?: Date;
  /** Also the gaps of this account; without it, only those of every account. */
  readonly accountId?: string;
  /** The only rule whose gaps are wanted; with `none`, no gaps of single rules are. It needs the account. */
  readonly ruleId?: string;
  /** The only rules whose gaps are wanted, where `ruleId` names none. They need the account. */
  readonly ruleIds?: readonly string[];
  /** Only those that were not recovered. */
  readonly isMissing?: true;
  readonly limit: number;
}

interface GapRow {
  readonly platform: Platform;
  readonly owner: string;
  readonly rule: string;
  readonly source: string;
  readonly from_at: number;
  readonly to_at: number | null;
  readonly cause: string;
  readonly recovered: number;
}

const gapOf = (row: GapRow): Gap => ({
  platform: row.platform,
  from: new Date(row.from_at),
  to: dateOrNone(row.to_at),
  cause: decodeText(row.cause),
  recovered: row.recovered === 1,
  ...(row.owner !== '' && { accountId: row.owner }),
  ...(row.rule !== '' && { ruleId: row.rule }),
  ...(row.source !== '' && { source: row.source }),
});

const gapValues = ({ platform, accountId = '', ruleId = '', source = '', ...gap }: Gap) => [
  platform,
  accountId,
  ruleId,
  source,
  gap.from,
  gap.to ?? null,
  encodeText(gap.cause),
  Number(gap.recovered),
];

/** The owners whose gaps a query asks for: everybody, the whole account, a rule. `rule` is undefined for any rule. */
export function gapOwners({ accountId, ruleId, ruleIds }: GapQuery): { owner: string; rule: string | undefined }[] {
  const everybody = { owner: '', rule: '' };
  if (accountId === undefined) return [everybody];
  const rules = ruleId === undefined ? ruleIds : ruleId === 'none' ? [] : [ruleId];
  if (rules === undefined) return [everybody, { owner: accountId, rule: undefined }];
  return [everybody, ...['', ...rules].map((rule) => ({ owner: accountId, rule }))];
}

/** The newest of several lists. */
export const newestGaps = (gaps: readonly Gap[], limit: number): Gap[] =>
  gaps.toSorted((one, other) => other.from.getTime() - one.from.getTime()).slice(0, limit);

interface FeedRow {
  readonly platform: Platform;
  readonly kind: FeedState['kind'];
  readonly name: string;
  readonly state: string;
  readonly reason: string | null;
  readonly through: number | null;
  readonly since: number;
  readonly at: number;
}

const feedOf = ({ reason, through, since, at, ...row }: FeedRow): FeedState => ({
  ...row,
  reason: reason === null ? undefined : decodeText(reason),
  through: dateOrNone(through),
  since: new Date(since),
  at: new Date(at),
});

const feedValues = ({ platform, kind, name, state, reason, through, at, since = at }: FeedReport) => [
  platform,
  kind,
  name,
  state,
  textOrNull(reason),
  through ?? null,
  since,
  at,
];

type CoverageWrites = Pick<CoverageStore, 'noteGaps' | 'noteFeeds' | 'keepSources'>;

export const coverageReads = (db: Db): Omit<CoverageStore, keyof CoverageWrites> => ({
  gaps: (query) => gapsOf(db, query),
  openGaps: async (platform) =>
    (
      await db.rows<GapRow>(
        'SELECT * FROM gaps /*sqlite INDEXED BY gaps_open */ WHERE platform = $1 AND to_at IS NULL',
        [platform],
      )
    ).map(gapOf),
  async coverage(platform) {
    const row = await db.row<{ through: number }>('SELECT through FROM coverage WHERE platform = $1', [platform]);
    return dateOrNone(row?.through ?? null);
  },
  async feeds(platform, accountId = '') {
    const rows = await db.rows<FeedRow>(
      `SELECT * FROM feeds WHERE platform = $1 AND kind IN ('stream', 'source', 'demo', 'audit')
       UNION ALL SELECT * FROM feeds WHERE platform = $1 AND kind = 'push' AND name IN ('', $2)`,
      [platform, accountId],
    );
    return rows.map(feedOf);
  },
  readings: (source, from, to) => readingsOf(db, source, from, to),
  rulesWith: (platform, value, flags) =>
    db.rows<RuleOfAccount>(
      `SELECT a.id AS "accountId", r.id AS "ruleId" FROM rule_platforms p
       JOIN rules r ON r.number = p.rule JOIN accounts a ON a.number = r.account
       WHERE p.platform = $1 AND p.holding = $2 AND p.value = $3 AND p.flags = $4 AND p.status <> 'deleting'
         AND r.deleted = 0 AND r.paused = 0 AND (p.platform <> 'x' OR a.x_spent_in IS NULL)
         AND a.suspended_at IS NULL`,
      [platform, holdingOf(value, flags), encodeText(value), encodeFlags(flags)],
    ),
});

/** One question, however many owners are asked about. */
async function gapsOf(db: Db, query: GapQuery): Promise<Gap[]> {
  const { platform, since, until, limit, isMissing } = query;
  const owners = gapOwners(query);
  const parts = owners.map(
    ({ rule }, index) => `SELECT * FROM (SELECT * FROM gaps WHERE platform = $1 AND owner = $${5 + 2 * index}
       AND ${rule === undefined ? `$${6 + 2 * index}::text IS NULL` : `rule = $${6 + 2 * index}`}
       ${isMissing ? 'AND recovered = 0' : ''} AND from_at < $3 AND coalesce(to_at, $3) >= $2
     ORDER BY from_at DESC LIMIT $4) g`,
  );
  const rows = await db.rows<GapRow>(parts.join(' UNION ALL '), [
    platform,
    since?.getTime() ?? 0,
    until?.getTime() ?? Number.MAX_SAFE_INTEGER,
    limit,
    ...owners.flatMap(({ owner, rule }) => [owner, rule ?? null]),
  ]);
  return newestGaps(rows.map(gapOf), limit);
}

export const coverageWrites = (db: Db): CoverageWrites => ({
  noteGaps: (gaps) => db.transaction((tx) => putGaps(tx, gaps)),
  noteFeeds: (reports) => db.transaction((tx) => putFeeds(tx, reports)),
  async keepSources(platform, names) {
    await db.run(`DELETE FROM feeds WHERE platform = $1 AND kind = 'source' AND NOT name = ANY($2::text[])`, [
      platform,
      names,
    ]);
  },
});

export async function putGaps(db: Db, gaps: readonly Gap[]): Promise<void> {
  for (const gap of gaps)
    await db.run(
      `INSERT INTO gaps (platform, owner, rule, source, from_at, to_at, cause, recovered) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
       ON CONFLICT (platform, owner, rule, from_at, source) DO UPDATE SET
         to_at = excluded.to_at, cause = excluded.cause,
         recovered = CASE WHEN gaps.cause = excluded.cause OR excluded.recovered < gaps.recovered
           THEN excluded.recovered ELSE gaps.recovered END`,
      gapValues(gap),
    );
}

/** The gaps of a rule go with it. */
export async function dropGapsOfRule(db: Db, owner: string, ruleId: string): Promise<void> {
  await db.run(`DELETE FROM gaps WHERE platform IN ('x', 'firehose') AND owner = $1 AND rule = $2`, [owner, ruleId]);
}

/** Gaps of a source of an account that still last end when nothing is read there any more. What was missed stays so. */
export async function endGapsOfSource(db: Db, owner: string, sourceId: string, now: Date): Promise<void> {
  await db.run(
    `UPDATE gaps SET to_at = $3 WHERE platform IN ('x', 'firehose') AND owner = $1 AND rule = '' AND source = $2 AND to_at IS NULL`,
    [owner, sourceId, now],
  );
}

/**
 * Gives the gaps of a rule to an owner that nothing asks for, or back, and ends those that last. Another process that
 * ended a pause while the rule was deleted may have left a gap of the same start: it gives way, or the rule could not
 * be restored.
 */
export async function moveGapsOfRule(
  db: Db,
  ruleId: string,
  { from, to, end }: { readonly from: string; readonly to: string; readonly end?: Date },
): Promise<void> {
  await db.run(
    `DELETE FROM gaps WHERE platform IN ('x', 'firehose') AND owner = $2 AND rule = $3 AND EXISTS
       (SELECT 1 FROM gaps m WHERE m.platform = gaps.platform AND m.owner = $1 AND m.rule = $3
          AND m.from_at = gaps.from_at AND m.source = gaps.source)`,
    [from, to, ruleId],
  );
  await db.run(
    `UPDATE gaps SET owner = $2, to_at = coalesce(to_at, $4)
     WHERE platform IN ('x', 'firehose') AND owner = $1 AND rule = $3`,
    [from, to, ruleId, end ?? null],
  );
}

async function putFeeds(db: Db, reports: readonly FeedReport[]): Promise<void> {
  // In one order, so that two nodes that report the same feeds do not wait for each other in a circle.
  const sorted = reports.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
  for (const report of sorted)
    await db.run(
      `INSERT INTO feeds AS f (platform, kind, name, state, reason, through, since, at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
       ON CONFLICT (platform, kind, name) DO UPDATE SET state = excluded.state, reason = excluded.reason,
         at = excluded.at,
         since = CASE WHEN f.kind = 'source' AND f.through IS NULL THEN coalesce(excluded.through, excluded.since) ELSE f.since END,
         through = greatest(coalesce(f.through, excluded.through), coalesce(excluded.through, f.through))`,
      feedValues(report),
    );
}

const keyOf = ({ platform, kind, name }: FeedReport): string => `${platform} ${kind} ${name}`;
