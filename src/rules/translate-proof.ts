/** Proof that a text is read as the query it was printed from. */
import type { Language } from './language.ts';
import { all, type Query } from './query.ts';

/** A word that no rule asks for, so that a clause which cannot stand alone has company. */
const COMPANY = 'qqzq';

/** Whether the query, printed as a clause of a rule, is read as that query. */
export function readsAsMeant(query: Query, language: Language): boolean {
  const field = language.name === 'x' ? 'text' : 'added';
  const rule = all([{ kind: 'term', field, term: COMPANY }, query]);
  const read = language.parse(language.print(rule)).query;
  return read !== undefined && sameQuery(read, rule);
}

/** Whether two queries are the same tree. */
export function sameQuery(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return one === other;
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => sameQuery(one[key as keyof typeof one], other[key as keyof typeof other]))
  );
}
