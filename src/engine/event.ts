/**
 * An event as the engine sees it: pieces of folded text, cut into words. Analysis makes it once per event, whatever the
 * number of rules; the index, the scan and the highlights all read it. To save allocation the word arrays belong to
 * the analyzer: a view is valid until its analyzer is used again.
 */
export interface EventView {
  /** The platform's id of the post or page; `sample` is decided by it. */
  readonly id: string;
  /** Grouped by field. */
  readonly pieces: readonly Piece[];
  /** Words of all pieces in order, parallel arrays; only the first `count` entries are this event's. */
  readonly words: Words;
  readonly numbers: ReadonlyMap<string, number>;
  /** Exact coordinates, else the box of the tagged place. Absent on reposts. */
  readonly place: Place | undefined;
  /** Milliseconds since the epoch; undefined when the event does not say. */
  readonly publishedAt: number | undefined;
}

export interface Piece {
  readonly field: string;
  /** Folded as the field's terms are. */
  readonly text: string;
  /** Where in the payload the text stands, for instance `data.text`. */
  readonly path: string;
  /** Offsets in the payload's string of each unit of `text`, one more for the end; absent when they are the same. */
  readonly offsets: Int32Array | undefined;
}

export interface Words {
  count: number;
  /** Index into `pieces`. */
  piece: Int32Array;
  /** Units of the piece's text. */
  start: Int32Array;
  end: Int32Array;
  /** Within the field. Left-out stop words leave a hole; pieces that phrases must not cross are far apart. */
  position: Int32Array;
}

export type Place =
  | { readonly kind: 'point'; readonly longitude: number; readonly latitude: number }
  | { readonly kind: 'box'; readonly west: number; readonly south: number; readonly east: number; readonly north: number };
