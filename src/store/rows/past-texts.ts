/**
 * The texts that a rule had before it was changed. One is kept only if its version matched something, and goes when the last of
 * those matches has gone and the rule changes again. So there are never more of them than matches, however often a rule changes.
 */

/** The version of a rule's newest or oldest match. Versions grow with positions. */
const versionAt = (order: 'ASC' | 'DESC', of: string): string =>
  `(SELECT m.version FROM matches m WHERE m.rule = ${of}.rule AND m.platform = ${of}.platform ORDER BY m.position ${order} LIMIT 1)`;

export const keepTextsSql = (rule: string): string => `INSERT INTO past_texts (rule, platform, version, flags, value)
  SELECT p.rule, p.platform, r.version, p.flags, p.value FROM rule_platforms p JOIN rules r ON r.number = p.rule
  WHERE p.rule = ${rule} AND ${versionAt('DESC', 'p')} = r.version`;

export const pruneTextsSql = (rule: string): string =>
  `DELETE FROM past_texts WHERE rule = ${rule} AND version < coalesce(${versionAt('ASC', 'past_texts')}, version + 1)`;
