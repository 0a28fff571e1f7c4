/** A commit on its way to the database. */
import type { Commit, CommitEvent } from '../store.ts';

/** A commit whose payloads are JSON already: that work, and the objects, stay with the caller. */
export interface TextCommit extends Omit<Commit, 'events'> {
  readonly events: readonly TextEvent[];
}

export interface TextEvent {
  readonly postId: string;
  readonly accountId: string | undefined;
  readonly payload: string;
  readonly matches: CommitEvent['matches'];
  readonly engineOnly?: CommitEvent['engineOnly'];
  readonly earlier?: CommitEvent['earlier'];
}

export const textCommit = (batch: Commit): TextCommit => ({
  ...batch,
  events: batch.events.map(({ event: { postId, accountId, payload, json }, matches, engineOnly, earlier }) => ({
    postId,
    accountId,
    payload: json ?? JSON.stringify(payload),
    matches,
    ...(engineOnly && { engineOnly }),
    ...(earlier && { earlier }),
  })),
});
