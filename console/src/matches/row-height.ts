/** How tall a row is: as tall as its text needs, known before it is drawn, so that nothing jumps when others arrive. */
import type { Match } from '../data/queries.ts';
import { EXCERPT, excerptOf, NARROW_EXCERPT, type Passage, readEvent } from '../event/reading.ts';
import type { Density } from './density.ts';
import { rowReason } from './relevance-words.ts';

interface Shape {
  readonly hasTitle: boolean;
  /** The passage of which a part is shown. */
  readonly passage: Passage | undefined;
}

const shapes = new WeakMap<Match, Shape>();

/** Read once for each match. */
function shapeOf(match: Match): Shape {
  const known = shapes.get(match);
  if (known !== undefined) return known;
  const { passages } = readEvent(match.platform, match.payload, match.highlights, match.demo);
  const texts = passages.filter(({ role }) => role !== 'title' && role !== 'detail');
  const shape = {
    hasTitle: passages.some(({ role }) => role === 'title'),
    passage: texts.find(({ spans }) => spans.length > 0) ?? texts[0],
  };
  shapes.set(match, shape);
  return shape;
}

/** Under a finger the actions stand at the foot: beside the rules, or in a line of their own. */
export const ROW_PADDING = {
  comfortable: 'py-2.5',
  dense: 'py-1.5 pointer-coarse:pb-10',
  quiet: 'py-1.5 pointer-coarse:pb-10',
} as const satisfies Record<Density, string>;

const LINE = 20;
/** The padding above and below with the border, and the line of who says it. */
const HEAD = 41;
/** The line of the rules, in a wide row of the relevance, too, with the space above it. */
const META = 22;
/** A line of smaller letters. */
const SMALL_LINE = 16;
/** The space above the reason of the relevance, where nothing is below it. */
const SPACE = 2;
/** The width at which `@xl` of a row begins, with its padding: from there on the reason stands beside the rules. */
const ROOMY = 576 + 24;

export const isNarrow = (width: number): boolean => width < ROOMY;

/** The padding on both sides, the letter of the author and the space after it. */
const ASIDE = 68;
const ONE_LINE: Record<'dense' | 'quiet', number> = { dense: 53, quiet: 33 };
/** The line of the actions under a finger, with the space above it, and what it adds to rows of one line. */
const TOUCHED = 34;

export interface RowShape {
  readonly width: number;
  readonly isWide: boolean;
  readonly density: Density;
  /** Whether a finger points, for which the actions have a line. */
  readonly isTouched: boolean;
  /** Whether it names its rules. */
  readonly hasRules: boolean;
  /** How many pixels a text takes, in the letters of a passage and in the smaller ones of its foot. */
  readonly widthOf: WidthOf;
  readonly smallWidthOf: WidthOf;
}

type WidthOf = (text: string) => number;

/** Wide rows have at most two lines of text, narrow ones three. */
export function rowHeight(match: Match, shape: RowShape): number {
  const { width, isWide, isTouched, density, widthOf } = shape;
  if (density !== 'comfortable') return ONE_LINE[density] + (isTouched ? TOUCHED : 0);
  const { hasTitle, passage } = shapeOf(match);
  const longest = isNarrow(width) ? NARROW_EXCERPT[hasTitle ? 'page' : 'post'] : EXCERPT;
  const text = passage === undefined ? '' : excerptOf(passage, longest).text;
  const most = (isWide ? 2 : 3) - (hasTitle ? 1 : 0);
  const lines = (hasTitle ? 1 : 0) + linesOf(text, width - ASIDE, most, widthOf);
  return HEAD + Math.max(1, lines) * LINE + footHeight(match, shape);
}

function footHeight(match: Match, { width, isTouched, hasRules, smallWidthOf }: RowShape): number {
  const reason = rowReason(match);
  const meta = isTouched ? TOUCHED : hasRules || (reason !== undefined && !isNarrow(width)) ? META : 0;
  if (reason === undefined || !isNarrow(width)) return meta;
  return SMALL_LINE * linesOf(reason, width - ASIDE, 2, smallWidthOf) + (meta === 0 ? SPACE : meta);
}

/** How many lines a text takes, counted no further than `most`. A word that is longer than a line is broken. */
export function linesOf(text: string, width: number, most: number, widthOf: WidthOf): number {
  const space = widthOf(' ');
  let lines = 0;
  let left = 0;
  for (const word of text.split(/\s+/)) {
    if (word === '') continue;
    const wide = widthOf(word);
    if (lines > 0 && wide + space <= left) left -= wide + space;
    else {
      const taken = Math.max(1, Math.ceil(wide / Math.max(1, width)));
      lines += taken;
      left = taken * width - wide;
    }
    if (lines >= most) return most;
  }
  return lines;
}

const MOST_WIDTHS = 20_000;

/** As the browser draws it in a row: widths do not grow evenly with the size of letters. Each word is measured once. */
function measureIn(size: '--text-sm' | '--text-xs'): WidthOf {
  const widths = new Map<string, number>();
  let canvas: CanvasRenderingContext2D | null | undefined;
  return (text) => {
    const known = widths.get(text);
    if (known !== undefined) return known;
    if (canvas === undefined) {
      canvas = document.createElement('canvas').getContext('2d');
      const root = getComputedStyle(document.documentElement);
      const pixels = Number.parseFloat(root.getPropertyValue(size)) * Number.parseFloat(root.fontSize);
      if (canvas !== null) canvas.font = `${pixels}px ${getComputedStyle(document.body).fontFamily}`;
    }
    if (widths.size >= MOST_WIDTHS) widths.clear();
    // Without a canvas: of the widest letters that are usual in a text.
    const width = canvas?.measureText(text).width ?? text.length * 8;
    widths.set(text, width);
    return width;
  };
}

export const measuredWidth = measureIn('--text-sm');
export const measuredSmallWidth = measureIn('--text-xs');
