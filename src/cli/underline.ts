/** Shows a place in a text as a compiler does: the line, and carets under the span, whatever the characters' width. */
import type { Span } from '../rules/diagnostic.ts';

/** How much of a long line is shown on either side of the span. */
const CONTEXT = 60;

export function underline(text: string, span: Span): [line: string, carets: string] {
  const lineStart = text.lastIndexOf('\n', span.start - 1) + 1;
  const lineEnd = text.indexOf('\n', span.start);
  const start = Math.max(lineStart, span.start - CONTEXT);
  const end = Math.min(lineEnd === -1 ? text.length : lineEnd, Math.max(span.start, span.end) + CONTEXT);
  const spanEnd = Math.min(span.end, end);
  const left = start > lineStart ? '…' : '';
  const right = lineEnd === -1 ? end < text.length : end < lineEnd;
  const line = `${left}${visible(text.slice(start, end))}${right ? '…' : ''}`;
  const indent = left.length + width(text.slice(start, span.start));
  return [line, ' '.repeat(indent) + '^'.repeat(Math.max(1, width(text.slice(span.start, spanEnd))))];
}

/** Control characters would move the cursor; each is shown as one visible sign. */
const visible = (text: string): string => text.replace(/\p{Cc}/gu, '\u00b7');

/** Made for the first text that needs it: it costs more than all else that checks a rule. */
let segmenter: Intl.Segmenter | undefined;
const WIDE =
  /\p{Emoji_Presentation}|\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|[\u3000-\u303f\uff01-\uff60]|\ufe0f/u;

function width(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  let columns = 0;
  for (const { segment } of segmenter.segment(text)) columns += WIDE.test(segment) ? 2 : 1;
  return columns;
}
