/**
 * The form in which a commit goes to the thread that writes. Copying an object for each event would cost both threads more than storing it:
 * most events matched nothing, and are lines of the ring of recent events alone.
 */
import type { Payload } from '../../domain/match.ts';
import type { Committed, TextEvent } from '../nouns/commits.ts';
import { type Named, NO_REFUSALS, type Refusals } from '../nouns/erasure/tombstones.ts';
import { SHARED, withoutPosts } from '../nouns/recent.ts';
import { costOf, type TextCommit } from './commit.ts';
import { createToldPacker, type PackedEvents } from './packed-events.ts';
import { createRingPacker, type PackedRow, textIn } from './packed-ring.ts';
import { decodeText, parseColumn } from './texts.ts';

/** Events that matched, or came after earlier versions, are told of. */
export interface PackedCommit extends Omit<TextCommit, 'events'>, PackedEvents {
  /** All events. */
  readonly ring: readonly PackedRow[];
  /** The buffers that are handed to the thread and not copied. */
  readonly buffers: readonly ArrayBuffer[];
}

/** A commit whose events are made when they are asked for. */
interface GivenCommit extends Omit<TextCommit, 'events'> {
  readonly events: Iterable<TextEvent>;
}

interface Packing {
  readonly packed: PackedCommit;
  /** Which of the events are told of. */
  readonly places: readonly number[];
}

/** Yields what each event cost, so that its caller can pause. */
export function* packCommit({ events, ...rest }: GivenCommit): Generator<number, Packing> {
  const places: number[] = [];
  const told = createToldPacker();
  const ring = createRingPacker();
  let index = 0;
  for (const event of events) {
    const place = ring.add(event);
    if (event.matches.length > 0 || event.earlier !== undefined) {
      places.push(index);
      told.add(event, place);
    }
    index++;
    yield costOf(event);
  }
  const rows = ring.rows();
  const { told: text, numbers } = told.pack();
  const buffers = [numbers.buffer, ...rows.map(({ lines }) => lines.buffer)];
  return { places, packed: { ...rest, told: text, numbers, ring: rows, buffers } };
}

/** The answer to the commit: it has a number for every event again. */
export function unpackCommitted(committed: Committed, places: readonly number[], events: number): Committed {
  const addedByEvent = Array.from({ length: events }, () => 0);
  for (const [index, place] of places.entries()) addedByEvent[place] = committed.addedByEvent[index]!;
  return { ...committed, addedByEvent };
}

/** The events of the ring by name; what is told of one says which versions came before it. */
export function* namesIn(
  ring: readonly PackedRow[],
  told: readonly Pick<Named, 'postId' | 'earlier'>[],
): Iterable<Named> {
  const earlierOf = new Map(
    told.flatMap(({ postId, earlier }) => (earlier === undefined ? [] : [[postId, earlier] as const])),
  );
  for (const row of ring)
    for (const line of textIn(row).split('\n')) {
      const [, postId, payload] = parseColumn<[string, string, Payload]>(line);
      yield { postId, earlier: earlierOf.get(postId), payload };
    }
}

/** The ring without events that nobody who could see them may see. */
export function withoutRefused(ring: readonly PackedRow[], refusals: Refusals): readonly PackedRow[] {
  if (refusals === NO_REFUSALS) return ring;
  return ring.flatMap((row) => {
    const accountId = row.owner === SHARED ? undefined : row.owner;
    const kept = withoutPosts(textIn(row), (encoded) => refusals.isKeptOut({ postId: decodeText(encoded), accountId }));
    if (kept === undefined) return row;
    return kept.events === 0 ? [] : { owner: row.owner, ...kept, lines: Buffer.from(kept.lines) };
  });
}
