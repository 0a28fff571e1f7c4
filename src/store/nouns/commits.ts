/** Commits: events with their matches, and the stream's cursor, in one transaction. */
import type { Event, Highlight, Payload } from '../../domain/match.ts';
import type { Platform } from '../../domain/platform.ts';
import type { ComparedEvent } from '../../signal/story-text.ts';
import type { Db } from '../db.ts';
import type { Position } from '../order.ts';
import type { CarriedPost } from '../rows/carried.ts';
import { type Cursor, putReading } from './readings.ts';
import type { UpstreamCommit } from './upstreams.ts';

export interface CommitStore {
  /** Repeats of a match are not added again. */
  commit(batch: Commit): Promise<Committed>;
  /** The cursor that was last committed under this name. */
  cursor(name: string): Promise<string | undefined>;
}

export interface Commit {
  readonly platform: Platform;
  readonly at: Date;
  readonly events: readonly (CommitEvent | TextEvent)[];
  readonly cursor?: Cursor;
  /** The data that the stream of an upstream brings beside events. Reads and verdicts are counted only with it. */
  readonly upstream?: UpstreamCommit;
}

/** An event that matched nothing may come with its JSON alone. */
export type ArrivedEvent = Omit<Event, 'payload' | 'json'> &
  ({ readonly payload: Payload; readonly json?: string } | { readonly payload?: undefined; readonly json: string });

export interface CommitEvent {
  readonly event: ArrivedEvent;
  readonly matches: readonly CommitMatch[];
  /** Rules that our engine alone found the event to satisfy; counted with the event's first match. */
  readonly engineOnly?: readonly string[];
  /** The ids of earlier versions of the same post: its matches point to theirs. */
  readonly earlier?: readonly string[];
}

/** An event whose payload and highlights are JSON already. While it waits it holds no object of its payload. */
export interface TextEvent {
  readonly postId: string;
  readonly accountId: string | undefined;
  readonly payload: string;
  readonly source?: string | undefined;
  readonly matches: readonly TextMatch[];
  readonly engineOnly?: CommitEvent['engineOnly'] | undefined;
  readonly earlier?: CommitEvent['earlier'] | undefined;
  /** The posts whose text it holds, of an event that may be stored. */
  readonly carried?: readonly CarriedPost[] | undefined;
  /** The form of the event that is compared with stories, if the event may be stored. */
  readonly told?: ComparedEvent | undefined;
}

export interface TextMatch {
  readonly ruleId: string;
  readonly version: number;
  readonly verdict?: Verdict | undefined;
  /** Empty when they are found when the match is read. */
  readonly highlights: string;
  /** Which of the event's words the rule asked for: a bit for each place in `told.words`. */
  readonly asked: number;
}

export type CommitMatch = {
  readonly ruleId: string;
  readonly version: number;
  /** The verdict of our engine on a match that the upstream reported; absent when there is nothing to compare. */
  readonly verdict?: Verdict;
} & (
  | { readonly highlights: readonly Highlight[] }
  /** Highlights are found when the match is read. `asked` are the words of the rule in the form that stories compare. */
  | { readonly highlights?: undefined; readonly asked: readonly number[] }
);

export type Verdict = 'agreed' | 'upstream_only';

export interface Committed {
  /** How many matches were new. Those of rules that were deleted, paused or changed meanwhile are not kept. */
  readonly added: number;
  /** New matches for each event, in the order given: each of the pushes that share a commit is told its own number. */
  readonly addedByEvent: readonly number[];
  /** Events with matches that were all stored before. */
  readonly repeats: number;
  readonly latest: Position;
  /** The newest position before its own, when nodes share the store. No other commit stands between them. */
  readonly before?: Position;
  /** The accounts that got new matches. */
  readonly accountIds: readonly string[];
  /** How many were added of each of them. */
  readonly addedByAccount: readonly number[];
}

export const cursorReads = (db: Db): Pick<CommitStore, 'cursor'> => ({
  cursor: async (name) => (await db.row<{ value: string }>('SELECT value FROM cursors WHERE name = $1', [name]))?.value,
});

/** Part of a commit. Both statements are asked for at once. */
export async function moveCursor(db: Db, cursor: Cursor, at: Date): Promise<void> {
  const moved = db.run(
    'INSERT INTO cursors (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
    [cursor.name, cursor.value],
  );
  await Promise.all([moved, putReading(db, cursor, at)]);
}
