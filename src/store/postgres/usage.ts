/** What upstreams delivered, by rule, account and month, and how far our engine agrees with them. */
import { monthOf } from '../../base/month.ts';
import type { Platform } from '../../domain/platform.ts';
import type { Usage } from '../../domain/usage.ts';
import { agreementSums, type Counted, NO_USAGE, usageSums } from '../rows/usage.ts';
import type { RuleUsage, UsageStore } from '../store.ts';
import type { Database, Db } from './connection.ts';

export const usageStore = (db: Database): UsageStore => ({
  async usage(accountId, platform, month) {
    const [row] = await db.rows<Usage>(
      `SELECT reads, matches FROM usage
       WHERE subject = (SELECT -number FROM accounts WHERE id = $1) AND platform = $2 AND month = $3`,
      [accountId, platform, month],
    );
    return row ?? NO_USAGE;
  },
  ruleUsage: (accountId, platform, month, limit) =>
    db.rows<RuleUsage>(
      `SELECT r.id AS "ruleId", u.reads, u.matches FROM usage u JOIN rules r ON r.number = u.subject
       WHERE u.owner = (SELECT number FROM accounts WHERE id = $1) AND u.platform = $2 AND u.month = $3 AND r.deleted = 0
       ORDER BY u.reads DESC LIMIT $4`,
      [accountId, platform, month, limit],
    ),
});

/** Part of a commit of an upstream's stream; `byEvent` are the new matches of each event. */
export async function addUsage(
  db: Db,
  platform: Platform,
  at: Date,
  byEvent: readonly (readonly Counted[])[],
): Promise<void> {
  const sums = inOrder(usageSums(byEvent));
  if (sums.length === 0) return;
  await db.run(
    `INSERT INTO usage AS u (subject, owner, platform, month, reads, matches)
     SELECT subject, owner, $5, $6, reads, matches
     FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[]) AS s (subject, owner, reads, matches)
     ON CONFLICT (subject, platform, month) DO UPDATE SET reads = u.reads + excluded.reads, matches = u.matches + excluded.matches`,
    [
      sums.map(([subject]) => subject),
      sums.map(([, { owner }]) => owner),
      sums.map(([, { reads }]) => reads),
      sums.map(([, { matches }]) => matches),
      platform,
      monthOf(at),
    ],
  );
}

export async function addAgreement(
  db: Db,
  platform: Platform,
  matches: readonly Counted[],
  engineOnly: readonly number[],
): Promise<void> {
  const sums = inOrder(agreementSums(matches, engineOnly));
  if (sums.length === 0) return;
  await db.run(
    `INSERT INTO agreement AS g (rule, platform, agreed, upstream_only, engine_only)
     SELECT rule, $5, agreed, upstream_only, engine_only
     FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[]) AS s (rule, agreed, upstream_only, engine_only)
     ON CONFLICT (rule, platform) DO UPDATE SET agreed = g.agreed + excluded.agreed,
       upstream_only = g.upstream_only + excluded.upstream_only, engine_only = g.engine_only + excluded.engine_only`,
    [
      sums.map(([rule]) => rule),
      sums.map(([, { agreed }]) => agreed),
      sums.map(([, { upstream_only }]) => upstream_only),
      sums.map(([, { engine_only }]) => engine_only),
      platform,
    ],
  );
}

/** In one order everywhere, so that two transactions never wait for each other. */
const inOrder = <T>(sums: ReadonlyMap<number, T>): [number, T][] => [...sums].toSorted(([one], [other]) => one - other);
