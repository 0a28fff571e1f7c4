/** What is wrong with the rule texts of a request, every problem named at its place. */
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import type { Diagnostic } from '../../rules/diagnostic.ts';
import { suggestionFor } from '../../rules/fix.ts';
import type { Language } from '../../rules/language.ts';
import type { Context } from '../context.ts';
import type { Issue } from '../errors.ts';

/** Rubbish can have thousands of errors; nobody reads more than these. */
const MAX_ISSUES = 100;

/** Mending a text tries many readings of it: rubbish, however long, must not hold up everything else. */
const MAX_MENDED = 8;
const MAX_MENDED_LENGTH = 8_192;

export interface Remark extends Issue {
  readonly severity: Diagnostic['severity'];
  readonly code: string;
}

/** What the language says about a text; positions are offsets into the text as it was sent, blanks included. */
export function remarksOn(language: Language, path: string, text: string): Remark[] {
  const value = text.trim();
  const before = text.length - text.trimStart().length;
  const { diagnostics } = language.parse(value);
  const errors = diagnostics.filter((one) => one.severity === 'error').length;
  const isHopeful = errors > 0 && errors <= MAX_MENDED && value.length <= MAX_MENDED_LENGTH;
  const suggestion = isHopeful ? suggestionFor(value, (one) => language.parse(one)) : undefined;
  return diagnostics.slice(0, MAX_ISSUES).map((one) => ({
    path,
    code: one.code,
    severity: one.severity,
    message: one.message,
    position: { start: one.span.start + before, end: one.span.end + before },
    ...(suggestion !== undefined && one.severity === 'error' ? { suggestion } : {}),
  }));
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
    .map(({ path: at, code, message, position, suggestion }) => ({
      path: at,
      code,
      message,
      ...(position && { position }),
      ...(suggestion !== undefined && { suggestion }),
    }));
}

export const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
