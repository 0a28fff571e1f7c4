/**
 * The lookup of one event: its distinct words, and the way from pieces back to the payload. The lookup works each of them out
 * once, when it is first asked for, and serves every query that the event is matched against or shown for.
 */
import { runThrough } from '../../base/cooperate.ts';
import type { Predicate } from '../../rules/query.ts';
import { DistinctWords } from '../events/distinct-words.ts';
import type { EventView, Piece } from '../events/event-view.ts';

/** A stretch of a piece's text. */
export interface PieceSpan {
  readonly piece: Piece;
  readonly start: number;
  readonly end: number;
}

/** So many words are looked for in the event itself where it has few: a table of its words takes as long as some ten of them. */
const LOOKED_THROUGH = 4;
const FEW_WORDS = 256;

/** A shorter piece takes no longer than a pause is worth. */
const LONG_PIECE = 16 * 1024;

export class ViewLookup {
  readonly view: EventView;
  readonly now: number;
  /** Work done so far. A step is about one test of a pattern on a word: at most 0.1 microseconds. */
  steps = 0;
  /** A search stops when `steps` reaches this. */
  limit = Number.POSITIVE_INFINITY;
  /** Predicates that were decided in parts. */
  readonly verdicts = new Map<Predicate, boolean>();
  #words: DistinctWords | undefined;
  #lookedThrough = 0;
  readonly #offsets = new Map<Piece, Int32Array | undefined>();
  readonly #units = new Map<string, Int32Array>();

  constructor(view: EventView, now: number) {
    this.view = view;
    this.now = now;
  }

  get words(): DistinctWords {
    if (this.#words === undefined) runThrough(this.readWords());
    return this.#words!;
  }

  /** The first places of a word in a field, at most as many as are wanted. */
  placesOf(field: string, word: string, most: number): readonly number[] {
    const isShort = this.#words === undefined && this.view.words.count <= FEW_WORDS;
    if (isShort && this.#lookedThrough++ < LOOKED_THROUGH) return this.#lookThrough(field, word, most);
    const { words } = this;
    const places: number[] = [];
    for (let at = words.firstPlace(field, word); at >= 0 && places.length < most; at = words.next[at]!) places.push(at);
    return places;
  }

  #lookThrough(field: string, word: string, most: number): readonly number[] {
    const { pieces, words } = this.view;
    const places: number[] = [];
    // As with the table, reading the words takes nothing from the limit.
    this.steps += words.count;
    this.limit += words.count;
    for (let at = 0; at < words.count && places.length < most; at++) {
      const start = words.starts[at]!;
      if (words.ends[at]! - start !== word.length) continue;
      const piece = pieces[words.pieces[at]!]!;
      if (piece.field === field && piece.text.startsWith(word, start)) places.push(at);
    }
    return places;
  }

  /** Reads the words in parts, unless they are known. They serve all searches, so reading them takes nothing from the limit. */
  *readWords(): Generator<number, void> {
    if (this.#words !== undefined) return;
    const words = new DistinctWords(this.view);
    yield* words.readWords();
    this.#words = words;
    this.steps += this.view.words.count;
    this.limit += this.view.words.count;
  }

  /** Works out in parts what highlights of a long event need. Yields its steps. */
  *prepare(): Generator<number, void> {
    yield* this.readWords();
    for (const piece of this.view.pieces) {
      if (piece.text.length < LONG_PIECE || this.#offsets.has(piece)) continue;
      this.#offsets.set(piece, yield* this.view.offsetsOf(piece));
    }
  }

  get isOutOfSteps(): boolean {
    return this.steps >= this.limit;
  }

  spanOfWord(place: number): PieceSpan {
    const { pieces, words } = this.view;
    return { piece: pieces[words.pieces[place]!]!, start: words.starts[place]!, end: words.ends[place]! };
  }

  sourceOffsets(piece: Piece): Int32Array | undefined {
    if (!this.#offsets.has(piece)) this.#offsets.set(piece, runThrough(this.view.offsetsOf(piece)));
    return this.#offsets.get(piece);
  }

  /** The unit at which each code point of a source begins, and one more for the end. */
  codePointStarts(source: string): Int32Array {
    const known = this.#units.get(source);
    if (known !== undefined) return known;
    const starts = new Int32Array(source.length + 1);
    let point = 0;
    for (let unit = 0; unit < source.length; unit += source.codePointAt(unit)! > 0xffff ? 2 : 1) starts[point++] = unit;
    starts[point++] = source.length;
    this.#units.set(source, starts.subarray(0, point));
    return starts.subarray(0, point);
  }
}
