/** The output of commands: tables for people, JSON for programs, and failures with an exit status. */
import pc from 'picocolors';
import type { Span } from '../rules/diagnostic.ts';

/** Colours: only on a terminal, or where FORCE_COLOR asks for them. Each of the two outputs is judged by itself. */
const coloursFor = (stream: NodeJS.WriteStream) =>
  pc.createColors(stream.isTTY ? !process.env['NO_COLOR'] && process.env['TERM'] !== 'dumb' : forced());

const forced = (): boolean => Boolean(process.env['FORCE_COLOR']) && !process.env['NO_COLOR'];

export const out = coloursFor(process.stdout);
export const err = coloursFor(process.stderr);

/** 1: it failed. 2: the command or a setting is wrong. 3: `rules plan --exit-code` found a difference. 130: interrupted. */
type ExitCode = 1 | 2 | 3 | 130;
export const INTERRUPTED: ExitCode = 130;

/** A failure whose message is all there is to say: no stack, and the exit status it ends with. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: ExitCode;
  /** For programs, with `--json`. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(message: string, exitCode: ExitCode = 1, details: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.exitCode = exitCode;
    this.details = details;
  }
}

export const printJson = (value: unknown): void => console.log(JSON.stringify(value, undefined, 2));

/** Columns as wide as their widest cell; the first row is the heading. */
export function table(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = heading.map((name, column) =>
    rows.reduce((widest, row) => Math.max(widest, row[column]!.length), name.length),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd();
  return [out.dim(line(heading)), ...rows.map(line)].join('\n');
}

/** Names and values under each other. */
export function facts(pairs: readonly (readonly [string, string])[]): string {
  const width = Math.max(...pairs.map(([name]) => name.length));
  return pairs.map(([name, value]) => `${out.dim(name.padEnd(width))}  ${value}`).join('\n');
}

/** Characters that move the cursor, change the direction of text or cannot be seen; emoji and some scripts need the joiners. */
const UNRULY = /[\p{Cc}\p{Zl}\p{Zp}]|(?![\u200c\u200d])\p{Cf}/gu;

/** Text from elsewhere, harmless to a terminal, each character in its old place. */
export const harmless = (text: string): string => text.replaceAll(UNRULY, ' ');

/** Harmless text on one line and not too long. */
export const plain = (text: string, length = 60): string => {
  const line = harmless(text);
  return line.length > length ? `${line.slice(0, length - 1)}…` : line;
};

export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** How much of a long line is shown on either side of the span. */
const CONTEXT = 60;

/** Shows a place in a text as a compiler does: the line, and carets under the span, whatever the characters' width. */
export function underline(text: string, span: Span): [line: string, carets: string] {
  const lineStart = text.lastIndexOf('\n', span.start - 1) + 1;
  const lineEnd = text.indexOf('\n', span.start);
  const start = Math.max(lineStart, span.start - CONTEXT);
  const end = Math.min(lineEnd === -1 ? text.length : lineEnd, Math.max(span.start, span.end) + CONTEXT);
  const spanEnd = Math.min(span.end, end);
  const left = start > lineStart ? '…' : '';
  const right = lineEnd === -1 ? end < text.length : end < lineEnd;
  const line = `${left}${visible(text.slice(start, end))}${right ? '…' : ''}`;
  const indent = left.length + columnsOf(text.slice(start, span.start));
  return [line, ' '.repeat(indent) + '^'.repeat(Math.max(1, columnsOf(text.slice(span.start, spanEnd))))];
}

/** Control characters would move the cursor; each is shown as one visible sign. */
const visible = (text: string): string => text.replace(/\p{Cc}/gu, '\u00b7');

/** Made for the first text that needs it: it costs more than all else that checks a rule. */
let segmenter: Intl.Segmenter | undefined;
const WIDE =
  /\p{Emoji_Presentation}|\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|[\u3000-\u303f\uff01-\uff60]|\ufe0f/u;

function columnsOf(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  let columns = 0;
  for (const { segment } of segmenter.segment(text)) columns += WIDE.test(segment) ? 2 : 1;
  return columns;
}
