/**
 * One look at an event for one query: where the query's words stand, and the way from pieces back to the payload, each
 * worked out once. The time is linear in the text, however many words the query names.
 */
import type { Query } from '../../rules/query.ts';
import type { EventView, Piece } from '../events/event-view.ts';

/** A stretch of a piece's text. */
export interface Found {
  readonly piece: Piece;
  readonly start: number;
  readonly end: number;
}

export interface Look {
  readonly view: EventView;
  readonly now: number;
  readonly places: ReadonlyMap<string, FieldPlaces>;
  /** Made when they are first asked for: most looks need neither. */
  offsets: Map<Piece, Int32Array | undefined> | undefined;
  units: Map<string, Int32Array> | undefined;
}

/** For each wanted word of a field the indexes where it stands. */
interface FieldPlaces {
  readonly terms: Map<string, number[]>;
  /** A bit for each length, modulo 32: most words have another than any wanted one, and no string is made of them. */
  lengths: number;
}

export function lookAt(query: Query, view: EventView, now: number): Look {
  const places = new Map<string, FieldPlaces>();
  want(query, places);
  if (places.size > 0) gather(view, places);
  return { view, now, places, offsets: undefined, units: undefined };
}

function want(query: Query, places: Map<string, FieldPlaces>): void {
  if (query.kind === 'all' || query.kind === 'any') for (const part of query.of) want(part, places);
  else if (query.kind === 'not') want(query.query, places);
  else if (query.kind === 'term') wantTerm(query.field, query.term, places);
  else if (query.kind === 'phrase')
    for (const term of query.terms) if (term !== null) wantTerm(query.field, term, places);
}

function wantTerm(field: string, term: string, places: Map<string, FieldPlaces>): void {
  const wanted = places.get(field) ?? { terms: new Map(), lengths: 0 };
  places.set(field, wanted);
  wanted.terms.set(term, []);
  wanted.lengths |= 1 << term.length;
}

function gather({ pieces, words }: EventView, places: ReadonlyMap<string, FieldPlaces>): void {
  for (let at = 0; at < words.count; ) {
    const index = words.pieces[at]!;
    const { field, text } = pieces[index]!;
    const wanted = places.get(field);
    for (; at < words.count && words.pieces[at] === index; at++) {
      if (wanted === undefined) continue;
      const start = words.starts[at]!;
      const end = words.ends[at]!;
      if (((wanted.lengths >>> (end - start)) & 1) === 1) wanted.terms.get(text.slice(start, end))?.push(at);
    }
  }
}

const NOWHERE: readonly number[] = [];

/** The indexes of a word that the query names. */
export const placesOf = ({ places }: Look, field: string, term: string): readonly number[] =>
  places.get(field)?.terms.get(term) ?? NOWHERE;

export function wordAt({ pieces, words }: EventView, at: number): Found {
  return { piece: pieces[words.pieces[at]!]!, start: words.starts[at]!, end: words.ends[at]! };
}

/** From units of a piece's text to units of its source; undefined when they agree. */
export function offsetsOf(look: Look, piece: Piece): Int32Array | undefined {
  look.offsets ??= new Map();
  if (!look.offsets.has(piece)) look.offsets.set(piece, look.view.offsetsOf(piece));
  return look.offsets.get(piece);
}

/** Where each code point of a source begins, one more for the end. */
export function unitsOf(look: Look, source: string): Int32Array {
  look.units ??= new Map();
  const known = look.units.get(source);
  if (known !== undefined) return known;
  const starts = new Int32Array(source.length + 1);
  let point = 0;
  for (let unit = 0; unit < source.length; unit += source.codePointAt(unit)! > 0xffff ? 2 : 1) starts[point++] = unit;
  starts[point++] = source.length;
  look.units.set(source, starts.subarray(0, point));
  return starts.subarray(0, point);
}
