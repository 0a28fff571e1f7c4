/** Rows of saved views. */
import type { SavedView } from '../../domain/view.ts';
import { decodeText } from './texts.ts';

export interface ViewRow {
  readonly id: string;
  readonly name: string;
  readonly query: string;
  readonly created_at: number;
}

export const savedViewOf = (accountId: string, row: ViewRow): SavedView => ({
  id: row.id,
  accountId,
  name: decodeText(row.name),
  query: decodeText(row.query),
  createdAt: new Date(row.created_at),
});
