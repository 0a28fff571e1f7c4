/** The texts of a rule's earlier versions, for the highlights of what they matched. */
import { keepTextsSql } from '../rows/past-texts.ts';
import type { Sql } from './sql.ts';
import { SETTLED } from './unsettled.ts';

const orderOf = (end: 'newest' | 'oldest'): string =>
  `ORDER BY m.position ${end === 'newest' ? 'DESC' : 'ASC'} LIMIT 1`;

const STATEMENTS = keepTextsSql('?', (end, row) => {
  const settled = `(SELECT v.version FROM rule_matches m CROSS JOIN matches v ON v.position = m.position
    WHERE m.rule = ${row}.rule AND m.platform = ${row}.platform ${orderOf(end)})`;
  const unsettled = `(SELECT m.version FROM matches m NOT INDEXED
    WHERE m.rule = ${row}.rule AND m.platform = ${row}.platform AND m.position > ${SETTLED} ${orderOf(end)})`;
  return `coalesce(${end === 'newest' ? `${unsettled}, ${settled}` : `${settled}, ${unsettled}`})`;
});

/** Before a rule's texts change. */
export function keepTexts(sql: Sql, rule: number): void {
  for (const statement of STATEMENTS) sql.run(statement, [rule]);
}

export const dropTexts = (sql: Sql, rule: number): void => {
  sql.run('DELETE FROM past_texts WHERE rule = ?', [rule]);
};
