/**
 * The way of an X text from the wire to what rules are compared with, and back: unescaped (X sends `&amp;`, `&lt;` and
 * `&gt;`, no more), then folded. The way back is walked only for highlights.
 */
import { JOINING } from '../../base/normalize.ts';
import { fold, scanWords } from '../../rules/x/words.ts';
import type { Piece } from './event-view.ts';
import { addText, addValue, type Shown, shownAt, type TextKind, type ViewBuilder } from './view-builder.ts';

/** The gap is more than any rule has words, so that no phrase reaches from one text into the next. */
const POST_TEXT: TextKind = { scan: scanWords, gap: 4096 };

/** Adds a text cut into words, unless there is none. */
export function addWords(builder: ViewBuilder, field: string, source: unknown, path: string): void {
  if (typeof source === 'string' && source !== '') addFolded(builder, field, foldText(source), shownAt(path, source));
}

export const addFolded = (builder: ViewBuilder, field: string, text: string, shown: Shown): void =>
  addText(builder, POST_TEXT, field, text, shown);

/** Adds an exact value, unless there is none. */
export function addExact(builder: ViewBuilder, field: string, source: string | undefined, path: string): void {
  if (source !== undefined) addValue(builder, field, fold(source), shownAt(path, source));
}

export const foldText = (source: string): string => fold(source.includes('&') ? unescaped(source) : source);

/** `&amp;` comes last, so that what it uncovers is not taken for another escape. */
const unescaped = (source: string): string =>
  source.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

/** A character or an escape, with what may melt into it. */
const CHUNK = new RegExp(`(?:&(?:amp|lt|gt);|.)[${JOINING}]*`, 'suy');

const AMPERSAND = 0x26;
const FIRST_MARK = 0x300;

/** Characters of a source between two yields. */
const MAPPED_AT_ONCE = 16 * 1024;

/**
 * The way back: a text folds chunk by chunk, and where a chunk changes its length, all of it comes from its start. Yields the
 * characters that it has read.
 */
export function* sourceOffsets({ source, text }: Piece): Generator<number, Int32Array | undefined> {
  // Lower-casing alone never shortens, so with an equal length every unit is still in its place.
  if (source.length === text.length && source.toLowerCase() === text) return undefined;
  const offsets = new Int32Array(text.length + 1).fill(source.length);
  for (let from = 0, at = 0, next = MAPPED_AT_ONCE; from < source.length; ) {
    if (from >= next) {
      yield MAPPED_AT_ONCE;
      next = from + MAPPED_AT_ONCE;
    }
    const unit = source.charCodeAt(from);
    if (unit < 0x80 && unit !== AMPERSAND && !(source.charCodeAt(from + 1) >= FIRST_MARK)) {
      offsets[at++] = from++;
      continue;
    }
    CHUNK.lastIndex = from;
    const chunk = CHUNK.exec(source)?.[0] ?? source.slice(from);
    const { length } = foldText(chunk);
    for (let part = 0; part < length; part++) offsets[at++] = length === chunk.length ? from + part : from;
    from += chunk.length;
  }
  return offsets;
}
