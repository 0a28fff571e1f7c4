/** Saved views of an account. */
import type { View } from '../../domain/view.ts';

export interface ViewStore {
  /** False when the account has `limit` views already. */
  addView(view: View, limit: number): Promise<boolean>;
  /** Oldest first. */
  views(accountId: string): Promise<View[]>;
  /** False when the account has no such view. */
  deleteView(accountId: string, viewId: string): Promise<boolean>;
}
