/** Saved views of an account. */
import type { SavedView } from '../../domain/view.ts';

export interface ViewStore {
  /** False when the account has `limit` views already. */
  addView(view: SavedView, limit: number): Promise<boolean>;
  /** Oldest first. */
  views(accountId: string): Promise<SavedView[]>;
  /** False when the account has no such view. */
  deleteView(accountId: string, viewId: string): Promise<boolean>;
}
