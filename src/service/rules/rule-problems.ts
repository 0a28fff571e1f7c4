/** The problems of the rule texts of a request, each with its place. */
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import type { Diagnostic } from '../../rules/diagnostic.ts';
import type { Language, Mending, Parsed } from '../../rules/language.ts';
import { ANYTHING } from '../../rules/rule-text.ts';
import { suggestionFor, suggestionsFor } from '../../rules/suggest.ts';
import type { ComputeWish, Job } from '../compute.ts';
import type { ReadContext } from '../context.ts';
import type { Issue } from '../errors.ts';
import type { RulesRoom } from './room.ts';

/** A text can have thousands of errors; the answer lists this many. */
const MAX_ISSUES = 100;

/** Fixing a text means parsing it repeatedly, so fixes are limited to this many errors, in texts up to this length. */
const MAX_MENDED = 8;

/** Fixed texts are read again, up to this many characters in all, proofs included. */
const CHARACTERS_REREAD = 8_192;

export interface Remark extends Issue {
  readonly severity: Diagnostic['severity'];
  readonly code: string;
}

/** The language's diagnostics of a text. Positions are offsets into the text as it was sent, blanks included. */
export function remarksOn(language: Language, path: string, text: string): Remark[] {
  return remarksAmong(language, path, text, () => true);
}

function remarksAmong(language: Language, path: string, text: string, isAsked: (one: Diagnostic) => boolean): Remark[] {
  const value = text.trim();
  const before = text.length - text.trimStart().length;
  const parsed = language.parse(value);
  const parse = rereading(language, value, parsed);
  const { diagnostics } = parsed;
  const errors = diagnostics.filter(isError).length;
  const isHopeful = errors <= MAX_MENDED;
  // A fix of one error may have to wait for that of another; all of them together are said with each.
  const whole = isHopeful && errors > 0 ? suggestionFor(value, parse) : undefined;
  let mended = isHopeful ? MAX_MENDED : 0;
  // The others are not mended: that reads the text again and again.
  const asked = diagnostics.filter(isAsked).slice(0, MAX_ISSUES);
  return asked.map((one) => {
    const fixes = one.fixes !== undefined && mended-- > 0 ? suggestionsFor(value, one, parse) : [];
    const suggestion = fixes[0]?.value ?? (isError(one) ? whole : undefined);
    return {
      path,
      code: one.code,
      severity: one.severity,
      message: one.message,
      position: positionOf(text, one.span.start + before, one.span.end + before),
      ...(suggestion !== undefined && { suggestion }),
      ...(fixes.length > 0 && { fixes }),
    };
  });
}

const isError = ({ severity }: Diagnostic): boolean => severity === 'error';

/** Several diagnostics often lead to the same text, which is then read once. Beyond the budget nothing is read. */
function rereading(language: Language, value: string, parsed: Parsed): (text: string) => Parsed | undefined {
  const known = new Map([[value, parsed]]);
  const mending: Mending = { left: CHARACTERS_REREAD, warnings: true };
  return (text) => {
    const before = known.get(text);
    if (before !== undefined || text.length > mending.left) return before;
    mending.left -= text.length;
    const read = language.parse(text, mending);
    known.set(text, read);
    return read;
  };
}

/** In UTF-16 units, as JavaScript counts, and in code points, as Python does. */
export function positionOf(text: string, start: number, end: number): NonNullable<Issue['position']> {
  const startCodePoint = codePointsIn(text, 0, start);
  return {
    start,
    end,
    start_code_point: startCodePoint,
    end_code_point: startCodePoint + codePointsIn(text, start, end),
  };
}

function codePointsIn(text: string, start: number, end: number): number {
  let count = 0;
  for (let at = start; at < end; at += text.codePointAt(at)! > 0xffff ? 2 : 1) count++;
  return count;
}

type Languages = Pick<RulesRoom, 'languages'>;

/** The problems of `platforms`, `overrides` and `options` together, in input of any shape. */
export function problemsOfTexts(context: Languages, input: unknown): Issue[] {
  const { platforms, overrides, options } = fieldsOf(input);
  // Without a list the schema complains; the texts are checked as if their platforms were listed.
  const listed = Array.isArray(platforms)
    ? platforms.filter((name) => typeof name === 'string')
    : Object.keys({ ...fieldsOf(overrides), ...fieldsOf(options) });
  const issues = repetitionsIn(listed);
  if (typeof overrides === 'object' && overrides !== null) {
    const texts = fieldsOf(overrides);
    const isLimited = fieldsOf(options)['sources'] !== undefined;
    for (const name of PLATFORMS) {
      if (isLimited && isAnything(texts[name]) && listed.includes(name)) continue;
      issues.push(...problemsOfOverride(context, name, listed.includes(name), texts[name]));
    }
  }
  if (fieldsOf(options)['firehose'] !== undefined && !listed.includes('firehose')) {
    issues.push({ path: 'options.firehose', message: '`firehose` is not listed in `platforms`.' });
  }
  return issues;
}

/** The text of a rule that is limited to sources, and wants everything that they bring. */
export const isAnything = (text: unknown): boolean => typeof text === 'string' && text.trim() === ANYTHING;

function repetitionsIn(platforms: readonly string[]): Issue[] {
  const seen = new Set<string>();
  return platforms.flatMap((name, at) => {
    const isAgain = seen.has(name);
    seen.add(name);
    return isAgain ? [{ path: `platforms.${at}`, message: `"${name.slice(0, 40)}" is listed twice.` }] : [];
  });
}

function problemsOfOverride(context: Languages, name: Platform, listed: boolean, text: unknown): Issue[] {
  const path = `overrides.${name}`;
  if (text === undefined) {
    return listed ? [{ path, message: `It is required, because \`${name}\` is listed in \`platforms\`.` }] : [];
  }
  if (!listed) return [{ path, message: `\`${name}\` is not listed in \`platforms\`.` }];
  return problemsOfText(context, path, name, text);
}

/** The errors of one text. The schema handles a text that is not a string. */
export function problemsOfText(context: Languages, path: string, name: Platform, text: unknown): Issue[] {
  if (typeof text !== 'string') return [];
  if (text.trim() === '') return [{ path, message: 'It must not be empty.' }];
  if (!isWrong(context, name, text)) return [];
  return remarksAmong(context.languages[name], path, text, isError).map(withoutSeverity);
}

/** Whether a text has an error. What it is takes longer to find. */
const isWrong = ({ languages }: Languages, name: Platform, text: string): boolean =>
  languages[name].queryOf(text.trim()) === undefined;

function withoutSeverity(remark: Remark): Issue {
  const { severity: _, ...issue } = remark;
  return issue;
}

export const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

/**
 * Finds problems where the request came, and in a compute thread where a text is wrong: its fixes are proven by reading it again and
 * again, which takes tens of milliseconds.
 */
function finder(name: string, problemsOf: (context: Languages, input: unknown) => readonly Issue[]) {
  const job: Job<ReadContext, unknown, readonly Issue[]> = {
    name,
    run: async (context, input) => problemsOf(context, input),
  };
  const find = (context: Languages & Pick<RulesRoom, 'compute'>, input: unknown, wish: ComputeWish) =>
    hasWrongText(context, input) ? context.compute.run(job, input, wish) : problemsOf(context, input);
  return { job, find };
}

/** The problems of a request that has all texts of a rule. */
export const textProblems = finder('problems of texts', problemsOfTexts);

/** The problems of new texts of a rule. Whether the rule is limited to sources, and may want everything, is known when it is read. */
export const newTextProblems = finder('problems of new texts', (context, input) => {
  const texts = textsIn(input);
  return PLATFORMS.filter((name) => !isAnything(texts[name])).flatMap((name) =>
    problemsOfText(context, `overrides.${name}`, name, texts[name]),
  );
});

const textsIn = (input: unknown) => fieldsOf(fieldsOf(input)['overrides']);

function hasWrongText(context: Languages, input: unknown): boolean {
  const texts = textsIn(input);
  return PLATFORMS.some((name) => {
    const text = texts[name];
    return typeof text === 'string' && !isAnything(text) && text.trim() !== '' && isWrong(context, name, text);
  });
}
