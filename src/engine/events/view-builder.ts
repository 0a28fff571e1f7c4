/** A view in the making: analyzers add pieces to it, field by field, and the words go straight into the shared arrays. */
import { pushWord, type WordScanner } from '../../rules/words.ts';
import { newWords, type Piece, type Words } from './event-view.ts';

export interface Draft {
  pieces: Piece[];
  readonly words: Words;
  /** The position the next word gets. It runs on from field to field: only differences within a field mean anything. */
  position: number;
}

/** Where the payload shows what a piece says. */
export type Shown = Pick<Piece, 'path' | 'source' | 'span'>;

export const shownAt = (path: string, source: string): Shown => ({ path, source, span: undefined });

export const newDraft = (): Draft => ({ pieces: [], words: newWords(), position: 0 });

export function clear(draft: Draft): void {
  draft.pieces = [];
  draft.words.count = 0;
  draft.position = 0;
}

/** Adds a text whose words follow what stands before it. */
export function addText(draft: Draft, scan: WordScanner, field: string, text: string, shown: Shown): void {
  const { words } = draft;
  const from = words.count;
  scan(text, words);
  fitToStarts(words);
  const piece = addPiece(draft, field, text, shown);
  const shift = draft.position - from;
  for (let at = from; at < words.count; at++) {
    words.pieces[at] = piece;
    words.positions[at] = at + shift;
  }
  draft.position += words.count - from;
}

/** Adds one exact value: a single word, the whole of the text. */
export function addValue(draft: Draft, field: string, text: string, shown: Shown): void {
  const { words } = draft;
  pushWord(words, 0, text.length);
  fitToStarts(words);
  words.pieces[words.count - 1] = addPiece(draft, field, text, shown);
  words.positions[words.count - 1] = draft.position++;
}

/** All pieces are made here, so that they have one hidden class: matching reads them in its tightest loops. */
const addPiece = ({ pieces }: Draft, field: string, text: string, { path, source, span }: Shown): number =>
  pieces.push({ field, text, path, source, span }) - 1;

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
