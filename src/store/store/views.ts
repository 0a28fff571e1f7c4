/** Saved views of an account. */
import type { MatchView } from '../../domain/view.ts';

export interface ViewStore {
  /** False when the account has `limit` views already. */
  addView(view: MatchView, limit: number): Promise<boolean>;
  /** Oldest first. */
  views(accountId: string): Promise<MatchView[]>;
  /** False when the account has no such view. */
  deleteView(accountId: string, viewId: string): Promise<boolean>;
}
