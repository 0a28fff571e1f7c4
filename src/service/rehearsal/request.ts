/** The request for a rehearsal, as the store keeps it. */

import type { Texts } from '../../rules/rule-text.ts';
import type { HistoryFiles } from '../../sources/history/files.ts';
import type { HistoryArchive } from '../../sources/history/history.ts';

export interface RehearsalRequest {
  readonly ruleId?: string | undefined;
  readonly texts: Texts;
  readonly history: HistoryChoice;
}

export type HistoryChoice =
  | { readonly kind: 'recent' }
  | { readonly kind: 'file'; readonly file: string }
  | { readonly kind: 'archive'; readonly from: string; readonly to: string };

/** History beside the recent events. */
export interface HistoryAccess {
  readonly files?: HistoryFiles | undefined;
  readonly archive?: HistoryArchive | undefined;
}

export function requestOf(text: string): RehearsalRequest {
  const request: RehearsalRequest = JSON.parse(text);
  return request;
}
