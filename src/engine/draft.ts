/** A view in the making: analyzers add pieces to it, field by field, and the words go straight into the shared arrays. */
import { pushWord, type WordScanner } from '../rules/words.ts';
import { newWords, type Piece, type Words } from './event.ts';

export interface Draft {
  pieces: Piece[];
  readonly words: Words;
  /** The position the next word gets. It runs on from field to field: only differences within a field mean anything. */
  position: number;
}

export const newDraft = (): Draft => ({ pieces: [], words: newWords(), position: 0 });

export function clear(draft: Draft): void {
  draft.pieces = [];
  draft.words.count = 0;
  draft.position = 0;
}

/** Adds a text whose words follow what stands before it. */
export function addText(draft: Draft, scan: WordScanner, piece: Piece): void {
  const { words } = draft;
  const from = words.count;
  scan(piece.text, words);
  fitToStarts(words);
  const index = draft.pieces.push(piece) - 1;
  const shift = draft.position - from;
  for (let at = from; at < words.count; at++) {
    words.pieces[at] = index;
    words.positions[at] = at + shift;
  }
  draft.position += words.count - from;
}

/** Adds one exact value: a single word, the whole of the piece's text. */
export function addValue(draft: Draft, piece: Piece): void {
  const { words } = draft;
  pushWord(words, 0, piece.text.length);
  fitToStarts(words);
  words.pieces[words.count - 1] = draft.pieces.push(piece) - 1;
  words.positions[words.count - 1] = draft.position++;
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
