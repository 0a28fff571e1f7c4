/**
 * An event as the engine sees it: pieces of folded text, cut into words. Analysis makes one view for an event, for all
 * rules. The index, the scan and the highlights all read it. To save allocation the word arrays belong to the
 * analyzer: a view is valid until its analyzer is used again.
 */
import { newWordSpans, type WordSpans } from '../../rules/words.ts';

export interface EventView {
  /** The platform's id of the post or page; `sample` is decided by it. */
  readonly id: string;
  /** Grouped by field. */
  readonly pieces: readonly Piece[];
  /** Words of all pieces in order, parallel arrays; only the first `count` entries are this event's. */
  readonly words: Words;
  /** A short list: searching it costs less than a map would. */
  readonly numbers: readonly NumberValue[];
  /** Exact coordinates, else the box of the tagged place. Absent on reposts. */
  readonly place: GeoPlace | undefined;
  /** Milliseconds since the epoch; undefined when the event does not say. */
  readonly publishedAt: number | undefined;
  /**
   * Finds where each unit of a piece's text comes from in its source, one more for the end; undefined when the offsets agree.
   * Yields the work it has done, so that a caller can pause.
   */
  readonly offsetsOf: (piece: Piece) => Generator<number, Int32Array | undefined>;
}

export interface Piece {
  readonly field: string;
  /** Folded as the field's terms are. In an exact field it is one word from end to end. */
  readonly text: string;
  /** The source stands here in the payload, for instance at `data.text`; the path is empty when no string shows the value. */
  readonly path: string;
  /** The payload's own string, as delivered. */
  readonly source: string;
  /** The part of the source that is this value, in code points: a hashtag in its text. Undefined when it is all of it. */
  readonly span: PointSpan | undefined;
}

export interface PointSpan {
  readonly start: number;
  readonly end: number;
}

export interface NumberValue {
  readonly field: string;
  readonly value: number;
}

/** `starts` and `ends` are units of the piece's text; a scanner fills them, so all four arrays may be replaced by longer ones. */
export interface Words extends WordSpans {
  /** Index into `pieces`. */
  pieces: Int32Array;
  /** Within the field. Left-out stop words leave a hole; pieces that phrases must not cross are far apart. */
  positions: Int32Array;
}

export type GeoPlace =
  | { readonly kind: 'point'; readonly longitude: number; readonly latitude: number }
  | {
      readonly kind: 'box';
      readonly west: number;
      readonly south: number;
      readonly east: number;
      readonly north: number;
    };

/** The answer of analysis to a payload that is no event: one sentence for its sender. */
export interface Rejection {
  readonly rejected: string;
}

/** Turns payloads into views, one at a time: each view is valid until the next is made. Never throws. */
export type Analyzer = (payload: unknown) => EventView | Rejection;

export const isRejection = (result: EventView | Rejection): result is Rejection => 'rejected' in result;

export const newWords = (): Words => {
  const spans = newWordSpans();
  return { ...spans, pieces: new Int32Array(spans.starts.length), positions: new Int32Array(spans.starts.length) };
};
