/** The audit log. Each change is written with what it is about, in one transaction, and goes when matches of its time go. */
import type { CHANGE_KINDS, Change } from '../../domain/change.ts';

export interface ChangeStore {
  /** Of an account, newest first. */
  changes(query: ChangeQuery): Promise<{ changes: Change[]; next: number | undefined }>;
}

export interface ChangeQuery {
  readonly accountId: string;
  readonly kind?: (typeof CHANGE_KINDS)[number];
  /** Changes of one thing. */
  readonly id?: string;
  readonly since?: Date;
  readonly until?: Date;
  /** Changes older than this one. */
  readonly before?: number;
  readonly limit: number;
}
