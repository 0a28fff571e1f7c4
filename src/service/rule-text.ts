/** Rule text from a request: read in its platform's language, with every problem named at its place. */
import { isPlatform, PLATFORMS, type Platform } from '../domain/platform.ts';
import type { RuleFlags } from '../domain/rule.ts';
import type { Diagnostic } from '../rules/diagnostic.ts';
import { withFlags } from '../rules/firehose/flags.ts';
import type { Language, Parsed } from '../rules/language.ts';
import type { Query } from '../rules/query.ts';
import { suggestionFor, suggestionsFor } from '../rules/suggest.ts';
import type { Context } from './context.ts';
import type { Issue } from './errors.ts';

/** Rubbish can have thousands of errors; nobody reads more than these. */
const MAX_ISSUES = 100;

/** Mending a text tries many readings of it: rubbish, however long, must not hold up everything else. */
const MAX_MENDED = 8;
const MAX_MENDED_LENGTH = 8_192;

/** Our own platform filters nothing that it was not asked to. */
const LOCAL_FLAGS = { quality: false, nsfw: true };

/** A text as it is registered on a platform. */
export interface RuleText {
  readonly value: string;
  readonly flags: RuleFlags;
}

export type Texts = Partial<Record<Platform, RuleText>>;

/** Equal for equal texts. */
export const keyOf = ({ value, flags }: RuleText): string => `${flags.quality} ${flags.nsfw} ${value}`;

export interface Remark extends Issue {
  readonly severity: Diagnostic['severity'];
  readonly code: string;
}

/** What the language says about a text; positions are offsets into the text as it was sent, blanks included. */
export function remarksOn(language: Language, path: string, text: string): Remark[] {
  const value = text.trim();
  const before = text.length - text.trimStart().length;
  const parse = rememberingParses(language);
  const { diagnostics } = parse(value);
  const errors = diagnostics.filter((one) => one.severity === 'error').length;
  const isHopeful = errors <= MAX_MENDED && value.length <= MAX_MENDED_LENGTH;
  // A fix of one error may have to wait for that of another; all of them together are said with each.
  const whole = isHopeful && errors > 0 ? suggestionFor(value, parse) : undefined;
  let mended = isHopeful ? MAX_MENDED : 0;
  return diagnostics.slice(0, MAX_ISSUES).map((one) => {
    const fixes = one.fixes !== undefined && mended-- > 0 ? suggestionsFor(value, one, parse) : [];
    const suggestion = fixes[0]?.value ?? (one.severity === 'error' ? whole : undefined);
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

/** Several diagnostics often lead to the same text, which is then read once. */
function rememberingParses(language: Language): (text: string) => Parsed {
  const known = new Map<string, Parsed>();
  return (text) => {
    const parsed = known.get(text) ?? language.parse(text);
    known.set(text, parsed);
    return parsed;
  };
}

/** In UTF-16 units, as JavaScript counts, and in code points, as Python does. */
function positionOf(text: string, start: number, end: number): NonNullable<Issue['position']> {
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

/** The problems of `platforms`, `overrides` and `options` together, in input of any shape. */
export function problemsOfTexts(context: Context, input: unknown): Issue[] {
  const { platforms, overrides, options } = fieldsOf(input);
  const listed = Array.isArray(platforms) ? platforms.filter((name) => typeof name === 'string') : [];
  const issues: Issue[] = listed
    .map((name, at) => ({ path: `platforms.${at}`, message: `"${name.slice(0, 40)}" is listed twice.`, name, at }))
    .filter(({ name, at }) => listed.indexOf(name) < at)
    .map(({ path, message }) => ({ path, message }));
  if (typeof overrides === 'object' && overrides !== null) {
    const texts = fieldsOf(overrides);
    for (const name of PLATFORMS) issues.push(...problemsOfOverride(context, name, listed.includes(name), texts[name]));
  }
  if (fieldsOf(options)['firehose'] !== undefined && !listed.includes('firehose')) {
    issues.push({ path: 'options.firehose', message: '`firehose` is not listed in `platforms`.' });
  }
  return issues;
}

function problemsOfOverride(context: Context, name: Platform, listed: boolean, text: unknown): Issue[] {
  const path = `overrides.${name}`;
  if (text === undefined) {
    return listed ? [{ path, message: `It is required, because \`${name}\` is listed in \`platforms\`.` }] : [];
  }
  if (!listed) return [{ path, message: `\`${name}\` is not listed in \`platforms\`.` }];
  return problemsOfText(context, path, name, text);
}

/** The problems of one text; a text that is no string is left to the schema. */
export function problemsOfText(context: Context, path: string, name: Platform, text: unknown): Issue[] {
  if (typeof text !== 'string') return [];
  if (text.trim() === '') return [{ path, message: 'It must not be empty.' }];
  return remarksOn(context.languages[name], path, text)
    .filter((one) => one.severity === 'error')
    .map(withoutSeverity);
}

function withoutSeverity(remark: Remark): Issue {
  const { severity: _, ...issue } = remark;
  return issue;
}

export const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

/** The texts of a request whose problems were looked for and not found. */
export function textsOf(
  overrides: Partial<Record<Platform, string | undefined>>,
  options: { firehose?: { quality?: boolean | undefined; nsfw?: boolean | undefined } | undefined } | undefined,
): Texts {
  const texts: Texts = {};
  for (const [name, text] of Object.entries(overrides)) {
    if (!isPlatform(name) || text === undefined) continue;
    texts[name] = { value: text.trim(), flags: name === 'firehose' ? given(options?.firehose) : {} };
  }
  return texts;
}

function given(flags: { quality?: boolean | undefined; nsfw?: boolean | undefined } = {}): RuleFlags {
  return {
    ...(flags.quality === undefined ? {} : { quality: flags.quality }),
    ...(flags.nsfw === undefined ? {} : { nsfw: flags.nsfw }),
  };
}

/** The query that a stored text stands for, its platform's flags included; undefined when it does not parse (any more). */
export function queryOf(language: Language, { value, flags }: RuleText): Query | undefined {
  const { query } = language.parse(value);
  return query && language.name === 'firehose' ? withFlags(query, { ...LOCAL_FLAGS, ...flags }) : query;
}
