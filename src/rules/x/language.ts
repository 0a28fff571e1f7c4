/**
 * The x rule language: text to query with diagnostics, and back. Nothing here knows of posts, of the network or of the
 * clock; what a query finds is the engine's business.
 */
import type { Diagnostic } from '../diagnostic.ts';
import { keepProvenFixes } from '../fix.ts';
import type { Language, Parsed } from '../language.ts';
import { advise } from './advise.ts';
import { check } from './check.ts';
import { helpFor } from './help.ts';
import { lower } from './lower.ts';
import { diagnose } from './messages.ts';
import { parse } from './parse.ts';
import { print } from './print.ts';
import type { Reading } from './values.ts';

/** What an account may do: how long its rules may be, and whether it has `embedding:`. */
export const X_LEVELS = ['payg', 'enterprise', 'enterprise+embedding'] as const;
export type XLevel = (typeof X_LEVELS)[number];
export const DEFAULT_X_LEVEL: XLevel = 'payg';

const MAX_LENGTH: Readonly<Record<XLevel, number>> = { payg: 1024, enterprise: 2048, 'enterprise+embedding': 2048 };

/** Far beyond any level, nothing but the length is worth saying. */
const MAX_READ = 16_384;

/** Trying fixes reads the text over and over, which is worth it where a rule was meant. */
const MAX_FIXED = 4096;

export interface XOptions extends Partial<Reading> {
  readonly level?: XLevel;
  /** Matched here and not by X, which alone can judge `embedding:`. */
  readonly local?: boolean;
}

interface Settings extends Reading {
  readonly maxLength: number;
  readonly embedding: boolean;
}

export function xLanguage({
  level = DEFAULT_X_LEVEL,
  local = false,
  phrases = 'literal',
  spaceless = 'substring',
}: XOptions = {}): Language {
  const maxLength = MAX_LENGTH[level];
  const embedding = level === 'enterprise+embedding' && !local;
  const settings: Settings = { maxLength, embedding, phrases, spaceless };
  const readAgain = (text: string) => read(text, settings);
  return {
    name: 'x',
    parse(text) {
      const { query, diagnostics } = read(text, settings);
      if (diagnostics.length === 0) return { query, diagnostics };
      if (text.length > MAX_FIXED) return { query, diagnostics: diagnostics.map(withoutFix) };
      return { query, diagnostics: keepProvenFixes(text, diagnostics, readAgain) };
    },
    print,
    help: helpFor({ maxLength, embedding }),
  };
}

function read(text: string, settings: Settings): Parsed {
  if (text.length > MAX_READ) return { query: undefined, diagnostics: [tooLong(text, settings.maxLength)] };
  const { root, problems } = parse(text);
  if (text.length > settings.maxLength) problems.push(tooLong(text, settings.maxLength));
  if (root === undefined) {
    if (problems.length === 0) problems.push(diagnose('empty-rule', 0, text.length));
    return { query: undefined, diagnostics: inOrder(problems) };
  }
  const { phrases, spaceless, embedding } = settings;
  check(root, problems, { phrases, spaceless, embedding, text });
  const query = problems.length === 0 ? lower(root, embedding) : undefined;
  advise(root, text, problems);
  return { query, diagnostics: inOrder(problems) };
}

/** The message names the rule, as X's does; of a huge one, its beginning. */
function tooLong(text: string, most: number): Diagnostic {
  const shown = text.length > MAX_READ ? `${text.slice(0, 256)}…` : text;
  const what = `'${shown}' is too long: ${text.length} characters where at most ${most} are allowed`;
  return diagnose('too-long', most, text.length, { what });
}

const inOrder = (problems: Diagnostic[]) =>
  problems.length < 2 ? problems : problems.toSorted((a, b) => a.span.start - b.span.start);

const withoutFix = ({ code, severity, span, message }: Diagnostic): Diagnostic => ({ code, severity, span, message });
