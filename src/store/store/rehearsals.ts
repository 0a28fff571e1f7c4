/** Rehearsals: jobs that try a rule on history. What `request`, `position` and `state` hold is not read here. */
import type { Highlight, Payload } from '../../domain/match.ts';
import type { Platform } from '../../domain/platform.ts';
import type { Rehearsal } from '../../domain/rehearsal.ts';
import type { Lease } from './upstreams.ts';

export interface RehearsalStore {
  /**
   * Adds one that waits. False when the account has its full number of unfinished ones. Finished ones beyond what is
   * kept go, the oldest first.
   */
  addRehearsal(rehearsal: Rehearsal, limits: RehearsalLimits): Promise<boolean>;
  /** With its state and samples. */
  rehearsal(accountId: string, rehearsalId: string): Promise<StoredRehearsal | undefined>;
  /** The newest first. */
  rehearsals(accountId: string, limit: number): Promise<Rehearsal[]>;
  /** False when it has ended already, or there is none. */
  cancelRehearsal(accountId: string, rehearsalId: string, now: Date): Promise<boolean>;
  /** The unfinished one that is due first. Not scoped. */
  firstRehearsal(): Promise<{ readonly id: string; readonly dueAt: Date } | undefined>;
  /** An unfinished one, to go on with. Not scoped. */
  openRehearsal(rehearsalId: string): Promise<StoredRehearsal | undefined>;
  /**
   * Keeps how far one has come, all or nothing: position, state and samples are of the same moment. Samples of erased posts
   * are left out. The account's unfinished ones are due at `dueAt` at the earliest, so that accounts take turns. False
   * when it has ended meanwhile. Throws `fenced` when another process has the lease. Not scoped.
   */
  keepRehearsal(lease: Lease, step: RehearsalStep): Promise<boolean>;
}

export interface RehearsalLimits {
  readonly unfinished: number;
  readonly kept: number;
}

export interface StoredRehearsal {
  readonly rehearsal: Rehearsal;
  readonly position: string | undefined;
  readonly state: string | undefined;
  readonly samples: readonly RehearsalSample[];
}

export interface RehearsalStep extends Pick<Rehearsal, 'id' | 'status' | 'endedAt' | 'events' | 'progress' | 'error'> {
  readonly position: string | undefined;
  readonly state: string;
  readonly samples: readonly RehearsalSample[];
  readonly dueAt: Date;
}

/** An event of the history that is shown. An erasure takes it out. */
export interface RehearsalSample {
  /** What it is a sample of. */
  readonly kind: string;
  readonly platform: Platform;
  readonly postId: string;
  readonly at: Date | undefined;
  readonly source: string | undefined;
  readonly payload: Payload;
  readonly highlights: readonly Highlight[];
}
