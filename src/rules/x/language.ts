/**
 * The x rule language: text to query with diagnostics, and back. Nothing here depends on posts, the network or the
 * clock; the engine evaluates queries.
 */
import { analyse } from '../analysis/analyse.ts';
import { clausesOf } from '../analysis/placed-query.ts';
import type { Diagnostic } from '../diagnostic.ts';
import { type FixReader, keepProvenFixes, withoutFixes } from '../fix.ts';
import { type Slip, slipsIn, tidied, withSlips } from '../habits/find.ts';
import { DEFAULT_X_LEVEL, type Language, type Parsed, type XLevel } from '../language.ts';
import { all, type Query } from '../query.ts';
import { advise } from './advise.ts';
import { check } from './check.ts';
import { habitFixes } from './habits.ts';
import { type HelpLimits, helpFor } from './help.ts';
import { factsOf, lower, placedQueryOf, xRelations } from './lower.ts';
import { diagnose, type XCode } from './messages.ts';
import { type Node, parse } from './parse.ts';
import { print } from './print.ts';
import type { TextReading } from './values.ts';

const MAX_LENGTH: Readonly<Record<XLevel, number>> = { payg: 1024, enterprise: 2048, 'enterprise+embedding': 2048 };

/** A text far beyond every limit only gets a diagnostic about its length. */
const MAX_READ = 16_384;

/** Trying fixes parses the text repeatedly, so longer texts get none. */
const MAX_FIXED = 4096;

export interface XOptions extends Partial<TextReading> {
  readonly level?: XLevel;
  /** Sluice matches the rules, not X. Only X can evaluate `embedding:`. */
  readonly local?: boolean;
}

type Settings = TextReading & HelpLimits;

export function xLanguage({
  level = DEFAULT_X_LEVEL,
  local = false,
  phrases = 'literal',
  spaceless = 'substring',
}: XOptions = {}): Language {
  const maxLength = MAX_LENGTH[level];
  const embedding = level === 'enterprise+embedding' && !local;
  const settings: Settings = { maxLength, embedding, phrases, spaceless };
  const reader: FixReader = {
    read: (text) => read(text, settings),
    clause: (text) => clauseOf(text, settings),
    field: 'text',
    relations: xRelations,
    events: 'posts',
  };
  return {
    name: 'x',
    parse(text, mending) {
      const parsed = read(text, settings);
      const { diagnostics } = parsed;
      if (diagnostics.length === 0) return parsed;
      if (text.length > MAX_FIXED) return { ...parsed, diagnostics: diagnostics.map(withoutFixes) };
      return { ...parsed, diagnostics: keepProvenFixes(text, diagnostics, reader, mending) };
    },
    queryOf: (text) => queryIn(text, settings).query,
    clauses(text) {
      if (read(text, settings).query === undefined) return [];
      const { root } = parse(text);
      check(root!, [], { phrases, spaceless, embedding, text });
      return clausesOf(placedQueryOf(root!));
    },
    print,
    help: helpFor({ maxLength, embedding }),
  };
}

interface QueryReading {
  readonly query: Query | undefined;
  /** It is undefined for a text that has no tree. */
  readonly root: Node | undefined;
  /** All errors, and nothing else. */
  readonly problems: Diagnostic[];
}

function queryIn(text: string, settings: Settings): QueryReading {
  const { maxLength, phrases, spaceless, embedding } = settings;
  if (text.length > MAX_READ) return { query: undefined, root: undefined, problems: [tooLong(text, maxLength)] };
  const { root, problems } = parse(text);
  if (text.length > maxLength) problems.push(tooLong(text, maxLength));
  if (root === undefined) {
    if (problems.length === 0) problems.push(diagnose('empty-rule', 0, text.length));
    return { query: undefined, root, problems };
  }
  check(root, problems, { phrases, spaceless, embedding, text });
  return { query: problems.length === 0 ? lower(root, embedding) : undefined, root, problems };
}

function read(text: string, settings: Settings): Parsed {
  const { query, root, problems } = queryIn(text, settings);
  const slips = slipsIn(text, 'x');
  if (root === undefined)
    return { query, diagnostics: inOrder(withSlips(slips, problems, slipWarning)), ...tidied(text, slips) };
  advise(root, text, problems);
  if (query !== undefined) weigh(root, text, problems);
  const told = withSlips(slips, withHabitFixes(root, text, problems), slipWarning);
  return { query, diagnostics: inOrder(told), ...tidied(text, slips) };
}

const slipWarning = ({ start, end, message, fixes, code }: Slip): Diagnostic =>
  diagnose(code === 'quotes' ? 'other-syntax' : code, start, end, { plain: message, fixes });

/** Diagnostics of the rule as a whole. */
function weigh(root: Node, text: string, problems: Diagnostic[]): void {
  const piece = placedQueryOf(root);
  // The fix will replace NOT and similar words, so their meaning as search words does not matter.
  if (piece === undefined || problems.some(({ code }) => code === 'word-not')) return;
  for (const { code, start, end, message, fixes } of analyse(piece, text, factsOf(text)).findings) {
    problems.push(diagnose(code, start, end, { what: message, fixes }));
  }
}

/** Habitual words between clauses, each with the fixes for the whole list of clauses. */
const HABITUAL: ReadonlySet<string> = new Set<XCode>([
  'explicit-and',
  'lower-case-or',
  'word-not',
  'stray-punctuation',
  'detached-dash',
  'trailing-punctuation',
]);

function withHabitFixes(root: Node, text: string, problems: Diagnostic[]): Diagnostic[] {
  if (!problems.some(({ code, fixes }) => fixes === undefined && HABITUAL.has(code))) return problems;
  const fixesAt = habitFixes(root, text);
  return problems.map((one) => {
    const fixes = one.fixes === undefined && HABITUAL.has(one.code) ? fixesAt.get(one.span.start) : undefined;
    return fixes === undefined ? one : { ...one, fixes };
  });
}

/** A clause may need another beside it, so a word is added for the check and removed afterwards. */
function clauseOf(text: string, settings: Settings): Query | undefined {
  const company = { kind: 'term', field: 'text', term: 'zqcompany' } as const;
  const { query } = read(`${company.term} (${text})`, settings);
  if (query?.kind !== 'all') return undefined;
  return all(query.of.filter((part) => part.kind !== 'term' || part.term !== company.term));
}

/** The message quotes the rule, as X's does; of a very long rule, its start. */
function tooLong(text: string, most: number): Diagnostic {
  const shown = text.length > MAX_READ ? `${text.slice(0, 256)}…` : text;
  const what = `'${shown}' is too long: ${text.length} characters where at most ${most} are allowed`;
  return diagnose('too-long', most, text.length, { what });
}

const inOrder = (problems: Diagnostic[]) =>
  problems.length < 2 ? problems : problems.toSorted((a, b) => a.span.start - b.span.start);
