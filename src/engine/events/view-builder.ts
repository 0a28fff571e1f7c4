/** A view in the making: analyzers add pieces to it, field by field, and the words go straight into the shared arrays. */
import { listIn } from '../../base/json.ts';
import { pushWord, type WordScanner } from '../../rules/words.ts';
import { newWords, type Piece, type Words } from './event-view.ts';
import { lengthProblem, listProblem } from './limits.ts';

export interface ViewBuilder {
  pieces: Piece[];
  readonly words: Words;
  /** The position the next word gets. It runs on from field to field: only differences within a field mean anything. */
  position: number;
  /** It says what is wrong with the event: the first value or list that is too long. */
  problem: string | undefined;
  /** Pieces whose words are cut later, in slices; undefined when each is cut as it is added. */
  readonly uncut: Uncut[] | undefined;
}

/** How the words of a text are found. */
export interface TextKind {
  readonly scan: WordScanner;
  /** Positions left free behind the text. */
  readonly gap: number;
  /** Words that are left out, and keep their positions: phrases feel the hole. */
  readonly isSkipped?: (text: string, start: number, end: number) => boolean;
}

/** A piece whose words are still to be cut; without a kind it is one exact value. */
interface Uncut {
  readonly piece: number;
  readonly kind: TextKind | undefined;
}

/** The place in the payload that shows what a piece says. */
export type Shown = Pick<Piece, 'path' | 'source' | 'span'>;

export const shownAt = (path: string, source: string): Shown => ({ path, source, span: undefined });

export const newViewBuilder = (uncut?: Uncut[]): ViewBuilder => ({
  pieces: [],
  words: newWords(),
  position: 0,
  problem: undefined,
  uncut,
});

export function clear(builder: ViewBuilder): void {
  builder.pieces = [];
  builder.words.count = 0;
  builder.position = 0;
  builder.problem = undefined;
}

/** Adds a text whose words follow what stands before it. */
export function addText(builder: ViewBuilder, kind: TextKind, field: string, text: string, shown: Shown): void {
  const piece = addPiece(builder, field, text, shown);
  if (builder.uncut !== undefined) return void builder.uncut.push({ piece, kind });
  cutPart(builder, piece, kind, 0, text.length);
  builder.position += kind.gap;
}

/** Adds one exact value: a single word, the whole of the text. */
export function addValue(builder: ViewBuilder, field: string, text: string, shown: Shown): void {
  const piece = addPiece(builder, field, text, shown);
  if (builder.uncut === undefined) cutValue(builder, piece);
  else builder.uncut.push({ piece, kind: undefined });
}

/** Characters that are cut into words between two yields. */
const CUT_AT_ONCE = 32 * 1024;

/** Cuts the pieces that were left uncut, in order. Yields the characters that it has read. */
export function* cutLater(builder: ViewBuilder): Generator<number, void> {
  for (const { piece, kind } of builder.uncut ?? []) {
    if (kind === undefined) {
      cutValue(builder, piece);
      yield 1;
      continue;
    }
    const { length } = builder.pieces[piece]!.text;
    for (let from = 0; from < length; ) {
      const end = cutPart(builder, piece, kind, from, from + CUT_AT_ONCE);
      yield end - from;
      from = end;
    }
    builder.position += kind.gap;
  }
}

/** Cuts a part of a piece into words, and answers where the part ends. */
function cutPart(builder: ViewBuilder, piece: number, kind: TextKind, start: number, enough: number): number {
  const { words } = builder;
  const { text } = builder.pieces[piece]!;
  const from = words.count;
  const end = kind.scan(text, words, start, enough);
  fitToStarts(words);
  const shift = builder.position - from;
  for (let at = from; at < words.count; at++) {
    words.pieces[at] = piece;
    words.positions[at] = at + shift;
  }
  builder.position += words.count - from;
  if (kind.isSkipped !== undefined) skipWords(words, from, text, kind.isSkipped);
  return end;
}

function skipWords(words: Words, from: number, text: string, isSkipped: NonNullable<TextKind['isSkipped']>): void {
  let kept = from;
  for (let at = from; at < words.count; at++) {
    const start = words.starts[at]!;
    const end = words.ends[at]!;
    if (isSkipped(text, start, end)) continue;
    words.starts[kept] = start;
    words.ends[kept] = end;
    words.pieces[kept] = words.pieces[at]!;
    words.positions[kept++] = words.positions[at]!;
  }
  words.count = kept;
}

function cutValue(builder: ViewBuilder, piece: number): void {
  const { words } = builder;
  pushWord(words, 0, builder.pieces[piece]!.text.length);
  fitToStarts(words);
  words.pieces[words.count - 1] = piece;
  words.positions[words.count - 1] = builder.position++;
}

/** All pieces are made here, so that they have one hidden class: matching reads them in its tightest loops. */
function addPiece(builder: ViewBuilder, field: string, text: string, { path, source, span }: Shown): number {
  builder.problem ??= lengthProblem(field, text.length, span === undefined && path !== '' ? path : field);
  return builder.pieces.push({ field, text, path, source, span }) - 1;
}

/** The list if it is within its limit. Otherwise the event has a problem, and nothing of the list is read. */
export function listWithin(builder: ViewBuilder, name: string, value: unknown, path: string): readonly unknown[] {
  const list = listIn(value);
  const problem = listProblem(name, list.length, path);
  if (problem === undefined) return list;
  builder.problem ??= problem;
  return [];
}

/** Gives `pieces` and `positions` the length that a scanner may have given `starts`. */
function fitToStarts(words: Words): void {
  const { length } = words.starts;
  if (words.positions.length === length) return;
  words.pieces = lengthened(words.pieces, length);
  words.positions = lengthened(words.positions, length);
}

function lengthened(array: Int32Array, length: number): Int32Array {
  const copy = new Int32Array(length);
  copy.set(array);
  return copy;
}

/** For texts that folding leaves as long as they were. */
export function* sameOffsets(): Generator<number, undefined> {}
