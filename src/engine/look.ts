/**
 * One look at an event for one query: where the query's words stand, and the way from pieces back to the payload, each
 * worked out once. The time is linear in the text, however many words the query names.
 */
import type { Query } from '../rules/query.ts';
import type { EventView, Piece } from './event.ts';

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
  readonly offsets: Map<Piece, Int32Array | undefined>;
  readonly units: Map<string, Int32Array>;
}

/** For each wanted word of a field the indexes where it stands. */
interface FieldPlaces {
  readonly terms: Map<string, number[]>;
  /** Most words have another length than any wanted one, and are passed over without making a string. */
  readonly lengths: Set<number>;
}

export function lookAt(query: Query, view: EventView, now: number): Look {
  const places = new Map<string, FieldPlaces>();
  want(query, places);
  if (places.size > 0) gather(view, places);
  return { view, now, places, offsets: new Map(), units: new Map() };
}

function want(query: Query, places: Map<string, FieldPlaces>): void {
  if (query.kind === 'all' || query.kind === 'any') for (const part of query.of) want(part, places);
  else if (query.kind === 'not') want(query.query, places);
  else if (query.kind === 'term') wantTerm(query.field, query.term, places);
  else if (query.kind === 'phrase')
    for (const term of query.terms) if (term !== null) wantTerm(query.field, term, places);
}

function wantTerm(field: string, term: string, places: Map<string, FieldPlaces>): void {
  const wanted = places.get(field) ?? { terms: new Map(), lengths: new Set() };
  places.set(field, wanted);
  wanted.terms.set(term, []);
  wanted.lengths.add(term.length);
}

function gather({ pieces, words }: EventView, places: ReadonlyMap<string, FieldPlaces>): void {
  for (let at = 0; at < words.count; at++) {
    const { field, text } = pieces[words.pieces[at]!]!;
    const wanted = places.get(field);
    const start = words.starts[at]!;
    const end = words.ends[at]!;
    if (wanted?.lengths.has(end - start)) wanted.terms.get(text.slice(start, end))?.push(at);
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
export function offsetsOf({ view, offsets }: Look, piece: Piece): Int32Array | undefined {
  if (!offsets.has(piece)) offsets.set(piece, view.offsetsOf(piece));
  return offsets.get(piece);
}

/** Where each code point of a source begins, one more for the end. */
export function unitsOf({ units }: Look, source: string): Int32Array {
  const known = units.get(source);
  if (known !== undefined) return known;
  const starts = new Int32Array(source.length + 1);
  let point = 0;
  for (let unit = 0; unit < source.length; unit += source.codePointAt(unit)! > 0xffff ? 2 : 1) starts[point++] = unit;
  starts[point++] = source.length;
  units.set(source, starts.subarray(0, point));
  return starts.subarray(0, point);
}
