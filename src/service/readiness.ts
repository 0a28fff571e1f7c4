/** Why a process is not ready: a code that does not change, and a sentence for people. */
import type { Role } from '../domain/role.ts';
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

/** Says what a failure of the store means for this process. */
export function storeFault(error: unknown): NotReady {
  const reason = error instanceof StoreError ? error.reason : undefined;
  if (reason === 'away') return 'store_away';
  return reason === 'full' ? 'disk_full' : 'store_unwritable';
}

/** An operator should see to these, although the process does its work. */
export const WARNINGS = {
  clock_off: 'the clock of this node and that of the store differ by more than a second',
} as const;

export type Warning = keyof typeof WARNINGS;

export const WARNING_CODES = Object.keys(WARNINGS) as Warning[];

const CLOCK_TOLERANCE_MS = 1_000;

export interface Readiness {
  /** Why this process should get no requests; empty when all is well. */
  notReady(): NotReady[];
  warnings(): Warning[];
  /** It goes on as before, but is no longer ready: those who choose among several choose another one from now on. */
  leave(): void;
  /** It stops soon: each connection ends with its next answer, so that the next request goes elsewhere. */
  readonly isLeaving: boolean;
}

/** A part that can be in the way of a process's work. */
interface Troubled {
  readonly trouble: NotReady | undefined;
}

interface Deps {
  readonly roles: readonly Role[];
  readonly matching: { readonly isLoaded: boolean };
  /** The way in for events, and the part of it that stores in this process. */
  readonly ingest: Troubled;
  readonly here: Troubled;
  readonly follower: Troubled & { readonly presence: { readonly clockAhead: number } };
  /** The step that a start waits for. */
  readonly start: Troubled;
}

export function createReadiness({ roles, matching, ingest, here, follower, start }: Deps): Readiness {
  // A node that only delivers needs neither rules nor events.
  const needsEvents = roles.some((role) => role !== 'delivery');
  let isLeaving = false;
  return {
    notReady() {
      const isLoading = needsEvents && !matching.isLoaded;
      const found = [
        isLeaving && 'stopping',
        isLoading && 'rules_loading',
        start.trouble,
        needsEvents ? ingest.trouble : here.trouble,
        // It follows from the moment that it has the rules.
        !isLoading && (needsEvents || follower.trouble === 'store_away') && follower.trouble,
      ] as const;
      return [...new Set(found.filter((reason) => reason !== false && reason !== undefined))];
    },
    warnings: () => (Math.abs(follower.presence.clockAhead) > CLOCK_TOLERANCE_MS ? ['clock_off'] : []),
    leave() {
      isLeaving = true;
    },
    get isLeaving() {
      return isLeaving;
    },
  };
}
