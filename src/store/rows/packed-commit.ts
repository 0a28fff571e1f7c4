/**
 * The form in which a commit goes to the thread that writes. Copying an object for each event would cost both threads more than storing it:
 * most events matched nothing, and are lines of the ring of recent events alone.
 */
import type { Committed } from '../store.ts';
import type { TextCommit, TextEvent } from './commit.ts';
import { type PackedEvents, packTold } from './packed-events.ts';
import { type PackedRow, packEvents, SHARED, withoutPosts } from './recent.ts';
import { decodeText, parseColumn } from './texts.ts';
import { type Named, NO_REFUSALS, type Refusals } from './tombstones.ts';

/** Events that matched, or came after earlier versions, are told of. */
export interface PackedCommit extends Omit<TextCommit, 'events'>, PackedEvents {
  /** All events. */
  readonly ring: readonly PackedRow[];
}

/** The commit, and which of its events are told of. */
export function packCommit({ events, ...rest }: TextCommit): { packed: PackedCommit; places: readonly number[] } {
  const places: number[] = [];
  for (const [index, { matches, earlier }] of events.entries())
    if (matches.length > 0 || earlier !== undefined) places.push(index);
  const told = packTold(places.map((place) => events[place]!));
  return { places, packed: { ...rest, ...told, ring: packEvents(events) } };
}

/** The answer to the commit: it has a number for every event again. */
export function unpackCommitted(committed: Committed, places: readonly number[], events: number): Committed {
  const addedByEvent = Array.from({ length: events }, () => 0);
  for (const [index, place] of places.entries()) addedByEvent[place] = committed.addedByEvent[index]!;
  return { ...committed, addedByEvent };
}

/** The events of the ring by name; what is told of one says which versions came before it. */
export function* namesIn(ring: readonly PackedRow[], told: readonly TextEvent[]): Iterable<Named> {
  const earlierOf = earlierVersionsIn(told);
  for (const { owner, lines } of ring)
    for (const line of lines.split('\n')) {
      const [, postId] = parseColumn<[string, string]>(line);
      yield { postId, accountId: owner === SHARED ? undefined : owner, earlier: earlierOf.get(postId) };
    }
}

const earlierVersionsIn = (told: readonly TextEvent[]): Map<string, readonly string[]> =>
  new Map(told.flatMap(({ postId, earlier }) => (earlier === undefined ? [] : [[postId, earlier] as const])));

/** The ring without events that nobody who could see them may see. */
export function withoutRefused(
  ring: readonly PackedRow[],
  told: readonly TextEvent[],
  refusals: Refusals,
): readonly PackedRow[] {
  if (refusals === NO_REFUSALS) return ring;
  const earlierOf = earlierVersionsIn(told);
  return ring.flatMap((row) => {
    const accountId = row.owner === SHARED ? undefined : row.owner;
    const kept = withoutPosts(row.lines, (encoded) => {
      const postId = decodeText(encoded);
      return refusals.isKeptOut({ postId, accountId, earlier: earlierOf.get(postId) });
    });
    if (kept === undefined) return row;
    return kept.events === 0 ? [] : { owner: row.owner, ...kept };
  });
}
