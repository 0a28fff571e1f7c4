/** What highlights need of a view beyond what matching needs, worked out once however many rules match the event. */
import type { EventView, Piece } from './event.ts';

/** A stretch of a piece's text. */
export interface Found {
  readonly piece: Piece;
  readonly start: number;
  readonly end: number;
}

export interface Word extends Found {
  readonly position: number;
}

export type FieldWords = ReadonlyMap<string, readonly Word[]>;

interface Memo {
  readonly words: Map<string, FieldWords>;
  readonly offsets: Map<Piece, Int32Array | undefined>;
  readonly units: Map<string, Int32Array>;
}

const memos = new WeakMap<EventView, Memo>();

function memoOf(view: EventView): Memo {
  const memo = memos.get(view) ?? { words: new Map(), offsets: new Map(), units: new Map() };
  memos.set(view, memo);
  return memo;
}

function remembered<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined || map.has(key)) return known as V;
  const made = make();
  map.set(key, made);
  return made;
}

/** All places of each word of a field. */
export const wordsOf = (view: EventView, field: string): FieldWords =>
  remembered(memoOf(view).words, field, () => gatherWords(view, field));

function gatherWords({ pieces, words }: EventView, field: string): FieldWords {
  const places = new Map<string, Word[]>();
  for (let at = 0; at < words.count; at++) {
    const piece = pieces[words.pieces[at]!]!;
    if (piece.field !== field) continue;
    const word = { piece, start: words.starts[at]!, end: words.ends[at]!, position: words.positions[at]! };
    const term = piece.text.slice(word.start, word.end);
    const same = places.get(term);
    if (same === undefined) places.set(term, [word]);
    else same.push(word);
  }
  return places;
}

/** From units of the piece's text to units of its source; undefined when they agree. */
export const offsetsOf = (view: EventView, piece: Piece): Int32Array | undefined =>
  remembered(memoOf(view).offsets, piece, () => view.offsetsOf(piece));

/** Where each code point of a source begins, one more for the end. */
export const unitsOf = (view: EventView, source: string): Int32Array =>
  remembered(memoOf(view).units, source, () => {
    const units = new Int32Array(source.length + 1);
    let point = 0;
    for (let unit = 0; unit < source.length; unit += source.codePointAt(unit)! > 0xffff ? 2 : 1) units[point++] = unit;
    units[point++] = source.length;
    return units.subarray(0, point);
  });
