/** Finds habits in a rule text, outside its quotes, and tells them in place of what the checker says about their pieces. */
import type { Platform } from '../../domain/platform.ts';
import type { Diagnostic, Fix, Span } from '../diagnostic.ts';
import { applyFix, USELESS, withoutFixes } from '../fix.ts';
import {
  DIALECTS,
  type Dialect,
  type Habit,
  inQuotes,
  isExcludedAt,
  ODD_BLANKS,
  ODD_QUOTES,
  oddQuoted,
  phrase,
  type Rewriting,
  SINGLE_QUOTES,
} from './habit.ts';
import { HABITS } from './table.ts';

export interface Slip extends Span {
  readonly message: string;
  /** None where the platform cannot say it. */
  readonly fixes: readonly Fix[];
  readonly code: 'other-syntax' | 'wrapped-rule' | 'odd-blank' | 'quotes';
}

/** A longer text gets no fixes, and looking for habits would only take time. */
const LONGEST = 4096;
const MOST_SLIPS = 24;
/** No habit has so many blanks in a row, and expressions that begin with some would try each of them as a beginning. */
const MANY_BLANKS = /\s{64}/;

/** Most texts have nothing that any habit has: one look tells. */
const SUSPICIOUS = new RegExp(
  [...HABITS.map(({ hint }) => hint.source), ODD_BLANKS.source, `[${ODD_QUOTES}]`].join('|'),
  'iu',
);

export function slipsIn(text: string, platform: Platform): readonly Slip[] {
  if (text.length > LONGEST || !SUSPICIOUS.test(text) || MANY_BLANKS.test(text)) return [];
  const dialect = DIALECTS[platform];
  const habits = HABITS.filter(({ hint }) => hint.test(text));
  for (const habit of habits) {
    const slip = habit.whole ? slipAt(habit, dialect, text, 0) : undefined;
    if (slip !== undefined) return [slip];
  }
  const inside = habits.filter(({ whole }) => !whole);
  const slips: Slip[] = [];
  let at = 0;
  while (at < text.length && slips.length < MOST_SLIPS) {
    const slip = isStart(text, at)
      ? inside.reduce<Slip | undefined>((found, habit) => found ?? slipAt(habit, dialect, text, at), undefined)
      : undefined;
    const found = slip ?? quotesAt(text, at, dialect) ?? blanksAt(text, at, dialect);
    if (found !== undefined) slips.push(found);
    at = found?.end ?? next(text, at);
  }
  return slips;
}

/** Behind a blank or a parenthesis, or behind one sign that stands there: where a clause may begin. */
function isStart(text: string, at: number): boolean {
  const before = /[-+]/.test(text.charAt(at - 1)) ? at - 2 : at - 1;
  return before < 0 || /[\s(\u00a0\u3000]/.test(text.charAt(before));
}

/** Past a quoted piece as a whole. */
function next(text: string, at: number): number {
  if (text.charAt(at) !== '"') return at + 1;
  const close = text.indexOf('"', at + 1);
  return close < 0 ? text.length : close + 1;
}

function slipAt(habit: Habit, dialect: Dialect, text: string, at: number): Slip | undefined {
  habit.pattern.lastIndex = at;
  const match = habit.pattern.exec(text);
  if (match === null || match[0] === '') return undefined;
  habit.pattern.lastIndex = at + match[0].length;
  const rewriting = habit.rewrite(match, dialect, text);
  return (
    rewriting && {
      ...placed(text, at, at + match[0].length, rewriting),
      message: rewriting.message,
      code: habit.whole ? 'wrapped-rule' : 'other-syntax',
    }
  );
}

function placed(
  text: string,
  start: number,
  end: number,
  { text: written, meaning, other, intent }: Rewriting,
): Pick<Slip, 'start' | 'end' | 'fixes'> {
  if (written === undefined) return { start, end, fixes: [] };
  // An exclusion of an exclusion would be read as one, and the exclusion of nothing as that of what follows.
  if (/^(?:-|NOT\s|$)/.test(written) && isExcludedAt(text, start)) return { start, end, fixes: [] };
  // A removed clause goes with a blank beside it, and with the operator that joined it.
  const span = written === '' ? withBlank(text, start, end) : { start, end };
  const first: Fix = {
    span,
    text: written,
    ...(meaning !== undefined && { meaning }),
    ...(intent !== undefined && { intent }),
    habit: true,
  };
  return { start, end, fixes: other === undefined ? [first] : [first, { span, ...other, intent: 'habit' }] };
}

function withBlank(text: string, start: number, end: number): Span {
  const before = /(?:\s+(?:AND|and|&&))?\s+$/.exec(text.slice(Math.max(0, start - 8), start))?.[0];
  if (before !== undefined) return { start: start - before.length, end };
  const behind = /^\s+(?:(?:AND|and|&&)\s+)?/.exec(text.slice(end, end + 8))?.[0] ?? '';
  return { start, end: end + behind.length };
}

/** Finds a quote of another kind at the beginning of a value or a clause. */
function quotesAt(text: string, at: number, dialect: Dialect): Slip | undefined {
  const mark = text.charAt(at);
  const before = text.charAt(at - 1);
  if (mark === '' || !`${ODD_QUOTES}"`.includes(mark)) return undefined;
  if (before !== '' && !/[\s(:\-+!\u00a0\u3000]/.test(before)) return undefined;
  if (mark === '"') return halfOpen(text, at, dialect);
  const found = oddQuoted(text, at);
  if (found === undefined || /["\n]/.test(found.content)) return undefined;
  const isSingle = SINGLE_QUOTES.includes(mark);
  // Around one word they change nothing on pages.
  if (isSingle && dialect.platform === 'firehose' && !/\s/.test(found.content)) return undefined;
  return slipOfQuotes(at, found.end, found.content, dialect, mark);
}

/** `"lava flow”`: a straight quote that a curly one closes. */
function halfOpen(text: string, at: number, dialect: Dialect): Slip | undefined {
  const [all, content = ''] = /^"([^"“”„]{1,200})[”“](?=[\s)~]|$)/.exec(text.slice(at, at + 210)) ?? [];
  if (all === undefined || text.indexOf('"', at + all.length) >= 0) return undefined;
  return slipOfQuotes(at, at + all.length, content, dialect, '”');
}

function slipOfQuotes(start: number, end: number, content: string, { events }: Dialect, mark: string): Slip {
  const written = inQuotes(content.trim());
  const what = phrase(content.trim());
  return {
    start,
    end,
    code: 'quotes',
    message: `Only straight double quotes make a phrase, and ${mark} is none; write ${written}.`,
    fixes: [
      {
        span: { start, end },
        text: written,
        habit: true,
        meaning: `${events} with ${what === written ? 'the phrase ' : ''}${what}`,
      },
    ],
  };
}

function blanksAt(text: string, at: number, { platform }: Dialect): Slip | undefined {
  // To Lucene this one is a blank.
  if (platform === 'firehose' && text.charAt(at) === '\u3000') return undefined;
  ODD_BLANKS.lastIndex = at;
  const run = ODD_BLANKS.exec(text)?.[0];
  if (run === undefined) return undefined;
  const end = at + run.length;
  const isEdge = /^$|[\s(]/.test(text.charAt(at - 1)) || /^$|[\s)]/.test(text.charAt(end));
  const isJoint = /^[\u00ad\u2060\u200c-\u200f\u202a-\u202e\ufeff]+$/.test(run);
  // A joiner between emoji is part of them.
  if (isJoint && /\u200d/.test(run)) return undefined;
  const name = `U+${run.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
  const plain = isEdge || isJoint ? '' : ' ';
  return {
    start: at,
    end,
    code: 'odd-blank',
    message: `The ${plain === '' ? 'character' : 'blank'} is ${name}; ${plain === '' ? 'remove it' : 'type a plain one'}.`,
    fixes: [{ span: { start: at, end }, text: plain, meaning: 'the same words with plain blanks', intent: 'habit' }],
  };
}

/** Errors of the whole text, which no slip in it explains. */
const OF_THE_WHOLE: ReadonlySet<string> = new Set([
  'too-long',
  'too-deep',
  'missing-close',
  'unclosed-group',
  'only-negations',
  'no-positive-clause',
  'needs-standalone',
]);

const overlap = (one: Span, other: Span) => one.start < other.end && other.start < one.end;

/** The message of an error keeps the platform's own words. */
const retold = (one: Diagnostic, { message, fixes }: Slip): Diagnostic => {
  const { fixes: _, ...rest } = one;
  return {
    ...rest,
    message: one.wording === undefined ? message : `${message} X says: ${one.wording}`,
    ...(fixes.length > 0 && { fixes }),
  };
};

/** The diagnostics with each slip told once: on the errors at its place, or as a warning of its own. */
export function withSlips(
  slips: readonly Slip[],
  problems: readonly Diagnostic[],
  warn: (slip: Slip) => Diagnostic,
): Diagnostic[] {
  if (slips.length === 0) return [...problems];
  const told = new Set<Slip>();
  const kept = problems.flatMap((one) => {
    const slip = slips.find((candidate) => overlap(candidate, one.span));
    if (slip === undefined || OF_THE_WHOLE.has(one.code)) return [one];
    if (one.severity === 'warning') return USELESS.has(one.code) ? [withoutFixes(one)] : [];
    told.add(slip);
    return [retold(one, slip)];
  });
  return [...kept, ...slips.filter((slip) => !told.has(slip)).map(warn)];
}

/** The text with all slips mended at once. */
export function tidied(text: string, slips: readonly Slip[]): { readonly tidied?: string } {
  const fixes = slips
    .flatMap((slip) => slip.fixes.slice(0, 1))
    .toSorted((one, other) => other.span.start - one.span.start);
  return fixes.length === 0 ? {} : { tidied: fixes.reduce(applyFix, text) };
}
