/** Why a process is not ready: a code that does not change, and a sentence for people. */
import { StoreError } from '../store/error.ts';

export const NOT_READY = {
  stopping: 'the server is stopping',
  rules_loading: 'rules are being loaded',
  store_away: 'the store cannot be reached',
  disk_full: 'the disk of the store is full',
  store_unwritable: 'the store cannot be written',
  commits_waiting: 'commits have waited for more than 5 s',
  node_behind: 'this node does not know the latest rules',
  broker_away: 'the broker cannot be reached',
} as const;

export type NotReady = keyof typeof NOT_READY;

export const NOT_READY_CODES = Object.keys(NOT_READY) as NotReady[];

/** What a failure of the store means for this process. */
export function storeFault(error: unknown): NotReady {
  const reason = error instanceof StoreError ? error.reason : undefined;
  if (reason === 'away') return 'store_away';
  return reason === 'full' ? 'disk_full' : 'store_unwritable';
}
