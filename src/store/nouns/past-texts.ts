/**
 * The texts that a rule had before it was changed, for the highlights of what they matched. One is kept only if its version
 * matched something, and goes when the last of those matches has gone and the rule changes again. So there are never more of
 * them than matches, however often a rule changes.
 */
import type { Db } from '../db.ts';
import { SETTLED } from '../rows/unsettled.ts';

/** The version of the newest or the oldest match that the rule of a row has on the platform of the row. Versions grow with positions. */
type VersionAt = (end: 'newest' | 'oldest', row: string) => string;

const orderOf = (end: 'newest' | 'oldest'): string =>
  `ORDER BY m.position ${end === 'newest' ? 'DESC' : 'ASC'} LIMIT 1`;

const VERSION_AT: Record<Db['dialect'], VersionAt> = {
  sqlite: (end, row) => {
    const settled = `(SELECT v.version FROM rule_matches m CROSS JOIN matches v ON v.position = m.position
      WHERE m.rule = ${row}.rule AND m.platform = ${row}.platform ${orderOf(end)})`;
    const unsettled = `(SELECT m.version FROM matches m NOT INDEXED
      WHERE m.rule = ${row}.rule AND m.platform = ${row}.platform AND m.position > ${SETTLED} ${orderOf(end)})`;
    return `coalesce(${end === 'newest' ? `${unsettled}, ${settled}` : `${settled}, ${unsettled}`})`;
  },
  postgres: (end, row) => `(SELECT m.version FROM matches m
    WHERE m.rule = ${row}.rule AND m.platform = ${row}.platform ${orderOf(end)})`,
};

/** Before a rule's texts change. */
export async function keepTexts(db: Db, rule: number): Promise<void> {
  const versionAt = VERSION_AT[db.dialect];
  await db.run(
    `DELETE FROM past_texts WHERE rule = $1 AND version < coalesce(${versionAt('oldest', 'past_texts')}, version + 1)`,
    [rule],
  );
  await db.run(
    `INSERT INTO past_texts (rule, platform, version, flags, value)
     SELECT p.rule, p.platform, r.version, p.flags, p.value FROM rule_platforms p JOIN rules r ON r.number = p.rule
     WHERE p.rule = $1 AND ${versionAt('newest', 'p')} = r.version`,
    [rule],
  );
}
