/** What both stores make of deleted rules that can be restored. */
import type { DeletedRule } from '../store/rules.ts';
import { type RuleRow, rulesOf } from './rules.ts';

/** Above every position: all matches of the rule are to be moved. */
export const ALL_TO_MOVE = Number.MAX_SAFE_INTEGER;

/** The gaps of a deleted rule belong to this owner, so that its account does not see them. */
export const hiddenOwner = (accountId: string): string => `deleted ${accountId}`;

export interface DeletedRow extends RuleRow {
  readonly deleted_at: number;
  readonly restorable_until: number;
}

/** In the order of the rows. */
export function deletedRulesOf(rows: readonly DeletedRow[]): DeletedRule[] {
  const times = new Map(rows.map((row) => [row.id, row]));
  return rulesOf(rows).rules.map((rule) => {
    const { deleted_at, restorable_until } = times.get(rule.id)!;
    return { ...rule, deletedAt: new Date(deleted_at), restorableUntil: new Date(restorable_until) };
  });
}

/** Where a slice of deleted rules begins: below the last one of the slice before. */
export interface TrashPlace {
  readonly deletedAt: number;
  readonly number: number;
}

export const TRASH_TOP: TrashPlace = { deletedAt: Number.MAX_SAFE_INTEGER, number: Number.MAX_SAFE_INTEGER };

export function placeAfter(rows: readonly DeletedRow[]): TrashPlace | undefined {
  const last = rows.at(-1);
  return last && { deletedAt: last.deleted_at, number: last.number };
}
