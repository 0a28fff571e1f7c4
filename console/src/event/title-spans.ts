/** The places of a story's title that matched. Pure. */
import { type Passage, type Span, spansOf } from './reading.ts';

/**
 * The title is the beginning of a passage, on one line: its own spans are marked. Where it is told by another match, the same
 * words are, as whole words.
 */
export function titleSpans(title: string, passages: readonly Passage[]): Span[] {
  const shown = title.replace(/…$/, '');
  const texts = passages.filter(({ role }) => role !== 'detail');
  const told = texts.find(({ text }) => onLine(text).startsWith(shown));
  if (told !== undefined)
    return told.spans
      .map(({ start, end }) => ({ start: placeOnLine(told.text, start), end: placeOnLine(told.text, end) }))
      .filter(({ start }) => start < shown.length);
  const words = new Set(texts.flatMap(({ text, spans }) => spans.map(({ start, end }) => text.slice(start, end))));
  return [...words].flatMap((word) => spansOf(title, word).filter((span) => isWhole(title, span)));
}

const onLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

const placeOnLine = (text: string, at: number): number => text.slice(0, at).replaceAll(/\s+/g, ' ').trimStart().length;

/** Scripts without spaces between their words have no whole ones. */
const LETTER = /[[\p{L}\p{N}_]--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]]/v;

const isWhole = (text: string, { start, end }: Span): boolean =>
  !(LETTER.test(text.slice(start, start + 1)) && LETTER.test(text.slice(Math.max(0, start - 1), start))) &&
  !(LETTER.test(text.slice(end - 1, end)) && LETTER.test(text.slice(end, end + 1)));
