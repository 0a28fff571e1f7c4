/** The texts of a rule's earlier versions, for the highlights of what they matched. */
import { keepTextsSql, pruneTextsSql } from '../rows/past-texts.ts';
import type { Sql } from './sql.ts';

/** Before a rule's texts change. */
export function keepTexts(sql: Sql, rule: number): void {
  sql.run(pruneTextsSql('?'), [rule]);
  sql.run(keepTextsSql('?'), [rule]);
}

export const dropTexts = (sql: Sql, rule: number): void => {
  sql.run('DELETE FROM past_texts WHERE rule = ?', [rule]);
};
