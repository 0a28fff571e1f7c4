/**
 * The texts that a rule had before it was changed. One is kept only if its version matched something, and goes when the last of
 * those matches has gone and the rule changes again. So there are never more of them than matches, however often a rule changes.
 */

/** The version of the newest or the oldest match that the rule of a row has on the platform of the row. Versions grow with positions. */
type VersionAt = (end: 'newest' | 'oldest', row: string) => string;

/** The statements that come before a change of a rule's texts; `rule` stands for its number. */
export const keepTextsSql = (rule: string, versionAt: VersionAt): readonly string[] => [
  `DELETE FROM past_texts WHERE rule = ${rule} AND version < coalesce(${versionAt('oldest', 'past_texts')}, version + 1)`,
  `INSERT INTO past_texts (rule, platform, version, flags, value)
     SELECT p.rule, p.platform, r.version, p.flags, p.value FROM rule_platforms p JOIN rules r ON r.number = p.rule
     WHERE p.rule = ${rule} AND ${versionAt('newest', 'p')} = r.version`,
];
