/** A view in the making: analyzers add pieces to it, field by field, and the words go straight into the shared arrays. */

import { listIn } from '../../base/json-fields.ts';
import { pushWord, type WordScanner } from '../../rules/words.ts';
import { newWords, type Piece, type Words } from './event-view.ts';
import { lengthProblem, listProblem } from './limits.ts';

export interface ViewBuilder {
  pieces: Piece[];
  readonly words: Words;
  /** The position the next word gets. It runs on from field to field: only differences within a field mean anything. */
  position: number;
  /** What is wrong with the event: the first value or list that is too long. */
  problem: string | undefined;
}

/** Where the payload shows what a piece says. */
export type Shown = Pick<Piece, 'path' | 'source' | 'span'>;

export const shownAt = (path: string, source: string): Shown => ({ path, source, span: undefined });

export const newViewBuilder = (): ViewBuilder => ({ pieces: [], words: newWords(), position: 0, problem: undefined });

export function clear(builder: ViewBuilder): void {
  builder.pieces = [];
  builder.words.count = 0;
  builder.position = 0;
  builder.problem = undefined;
}

/** Adds a text whose words follow what stands before it. */
export function addText(builder: ViewBuilder, scan: WordScanner, field: string, text: string, shown: Shown): void {
  const { words } = builder;
  const from = words.count;
  scan(text, words);
  fitToStarts(words);
  const piece = addPiece(builder, field, text, shown);
  const shift = builder.position - from;
  for (let at = from; at < words.count; at++) {
    words.pieces[at] = piece;
    words.positions[at] = at + shift;
  }
  builder.position += words.count - from;
}

/** Adds one exact value: a single word, the whole of the text. */
export function addValue(builder: ViewBuilder, field: string, text: string, shown: Shown): void {
  const { words } = builder;
  pushWord(words, 0, text.length);
  fitToStarts(words);
  words.pieces[words.count - 1] = addPiece(builder, field, text, shown);
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
