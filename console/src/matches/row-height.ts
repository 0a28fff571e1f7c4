/** How tall a row is: as tall as its text needs, known before it is drawn, so that nothing jumps when others arrive. Pure. */
import type { Match } from '../data/queries.ts';
import { readEvent } from '../event/reading.ts';

interface Shape {
  readonly hasTitle: boolean;
  readonly length: number;
}

const shapes = new WeakMap<Match, Shape>();

/** Read once for each match. */
function shapeOf(match: Match): Shape {
  const known = shapes.get(match);
  if (known !== undefined) return known;
  const { passages } = readEvent(match.platform, match.payload, match.highlights, match.demo);
  const texts = passages.filter(({ role }) => role !== 'title' && role !== 'detail');
  const shown = texts.find(({ spans }) => spans.length > 0) ?? texts[0];
  const text = shown?.text ?? '';
  const shape = {
    hasTitle: passages.some(({ role }) => role === 'title'),
    // Lines that the author broke are lines, too. An excerpt has at most 180 characters.
    length: Math.min(180, text.length),
  };
  shapes.set(match, shape);
  return shape;
}

/** Of the widest letters that are usual in a text: what fits by this fits. */
const LETTER = 8;
const PADDING = 24;
const HEAD = 36;
const LINE = 20;

/** Wide rows have at most two lines of text, narrow ones three. */
export function rowHeight(match: Match, width: number, isWide: boolean): number {
  const { hasTitle, length } = shapeOf(match);
  const most = isWide ? 2 : 3;
  const textLines = Math.ceil(length / Math.max(1, Math.floor((width - PADDING) / LETTER)));
  const lines = Math.max(1, Math.min(most, (hasTitle ? 1 : 0) + textLines));
  return HEAD + lines * LINE;
}
