/** Text with marked passages. The text is untrusted, so it only ever becomes text nodes. */
import { Fragment } from 'react';

export interface Passage {
  /** UTF-16 offsets; `end` is exclusive. */
  readonly start: number;
  readonly end: number;
}

export function Marked({ text, passages }: { text: string; passages: readonly Passage[] }) {
  return piecesOf(text, passages).map(({ start, piece, isMarked }) =>
    isMarked ? <mark key={start}>{piece}</mark> : <Fragment key={start}>{piece}</Fragment>,
  );
}

interface Piece {
  readonly start: number;
  readonly piece: string;
  readonly isMarked: boolean;
}

/** The text, cut at the passages. Passages may overlap or reach beyond the text. */
function piecesOf(text: string, passages: readonly Passage[]): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  const add = (end: number, isMarked: boolean) => {
    if (end > at) pieces.push({ start: at, piece: text.slice(at, end), isMarked });
    at = Math.max(at, end);
  };
  for (const { start, end } of passages.toSorted((a, b) => a.start - b.start)) {
    add(Math.min(start, text.length), false);
    add(Math.min(end, text.length), true);
  }
  add(text.length, false);
  return pieces;
}
