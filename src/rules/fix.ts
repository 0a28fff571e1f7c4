/**
 * Fixes are edits. One is offered only where it is proven: the text with it has no error and no warning that was not
 * there before, can match something but not everything, and means exactly what the fix intends.
 *
 * For the last point the place of the fix is filled with a word that stands for it; the query of that text, with the
 * intended meaning put in the word's place, must mean the same as the query of the fixed text.
 */
import { knownOf, type Relations } from './analysis/implications.ts';
import { briefly, type Diagnostic, type Fix, type Intent, type Span } from './diagnostic.ts';
import { sameMeaning } from './equivalence.ts';
import type { Mending, Parsed } from './language.ts';
import { all, any, EVERYTHING, NOTHING, not, type Query } from './query.ts';

/** The functions of a language that a proof needs. */
export interface FixReader {
  /** Parses without offering fixes. */
  read(text: string): Parsed;
  /** The meaning of a text as one clause of a longer rule; `field` is the one in force there, if not the usual one. */
  clause(text: string, field: string | undefined): Query | undefined;
  /** The field that a bare word is looked for in. */
  readonly field: string;
  /** The relations between clauses. */
  readonly relations?: Relations;
  /** The word for events in the text of a fix. */
  readonly events?: 'posts' | 'pages';
}

export const MAX_TRIED = 16;

/** A proof reads the text up to five times: the longer the rule, the fewer fixes are tried. */
const CHARACTERS_READ = 8_192;

/** The usual budget of one parse. */
export const newMending = (): Mending => ({ left: CHARACTERS_READ, warnings: true });

/** Rubbish is not mended. */
const MAX_ERRORS = 32;

/** No fix, and no suggestion, may lead to one of these. */
export const USELESS: ReadonlySet<string> = new Set(['never-matches', 'matches-everything']);

/** With one of these left a rule probably matches nothing; they are mended first. */
const FIRST: ReadonlySet<string> = new Set([
  'unknown-field',
  'unknown-label',
  'unknown-language',
  'other-language',
  'wrong-case',
]);

export function applyFix(text: string, fix: Fix): string {
  return text.slice(0, fix.span.start) + fix.text + text.slice(fix.span.end);
}

/** A fix in words: what it replaces and by what. */
export function describeFix(text: string, { span, text: written, meaning }: Fix): string {
  if (meaning !== undefined) return meaning;
  const replaced = text.slice(span.start, span.end).trim();
  if (written.trim() === '') return `without ${replaced}`;
  return replaced === '' ? `with ${written.trim()} added` : `${written.trim()} instead of ${replaced}`;
}

export function withoutFixes(diagnostic: Diagnostic): Diagnostic {
  const { fixes: _, ...rest } = diagnostic;
  return rest;
}

/** Keeps the fixes that are proven. */
export function keepProvenFixes(
  text: string,
  diagnostics: readonly Diagnostic[],
  reader: FixReader,
  mending: Mending = newMending(),
): Diagnostic[] {
  if (errorsIn(diagnostics) > MAX_ERRORS) return diagnostics.map(withoutFixes);
  const bounded = withinBudget(reader, mending);
  let left = MAX_TRIED;
  const seen = new Map<Fix, { code: string; isProven: boolean }>();
  const provenOf = (diagnostic: Diagnostic) =>
    (diagnostic.fixes ?? []).filter((fix) => {
      // One edit of a list of clauses often mends several diagnostics.
      const known = seen.get(fix);
      if (known?.code === diagnostic.code) return known.isProven;
      const verdict = left-- > 0 && isProven(text, fix, diagnostic, diagnostics, bounded);
      seen.set(fix, { code: diagnostic.code, isProven: verdict });
      return verdict;
    });
  // A rule with an error is refused, so the budget is the errors' first.
  const proven = new Map<Diagnostic, Fix[]>();
  for (const severity of mending.warnings ? ['error', 'warning'] : ['error']) {
    for (const one of diagnostics) if (one.severity === severity) proven.set(one, provenOf(one));
  }
  return diagnostics.map((one) => {
    const fixes = proven.get(one) ?? [];
    return fixes.length === 0 ? withoutFixes(one) : { ...one, fixes: fixes.map((fix) => told(text, fix, reader)) };
  });
}

/** Says what the rule then means, where the fix does not: with which clause in its place, or without which. */
function told(text: string, fix: Fix, { events = 'posts' }: FixReader): Fix {
  if (fix.meaning !== undefined) return fix;
  const masked = mask(text, fix);
  const replaced = text.slice(fix.span.start, fix.span.end).trim();
  const written = masked?.written.trim() ?? '';
  if (fix.intent === 'same') return { ...fix, meaning: 'the same' };
  if (fix.text.trim() === '' || written === '')
    return {
      ...fix,
      meaning: replaced === '' ? 'the same words, each for itself' : `the rule without ${briefly(replaced)}`,
    };
  if (isPunctuation(fix.text)) return { ...fix, meaning: `the rule with ${fix.text.trim()} where it is missing` };
  const sign = /(?:-|!|NOT\s+)$/.test(masked!.before) ? 'without' : 'with';
  return { ...fix, meaning: `${events} ${sign} ${briefly(written)}` };
}

const UNREAD: Parsed = { query: undefined, diagnostics: [] };

/** Reads until the budget is spent; what it does not read has no meaning, so that nothing is proven by it. */
function withinBudget(reader: FixReader, mending: Mending): FixReader {
  const spend = (text: string) => {
    const isEnough = text.length <= mending.left;
    mending.left = isEnough ? mending.left - text.length : 0;
    return isEnough;
  };
  return {
    read: (text) => (spend(text) ? reader.read(text) : UNREAD),
    clause: (text, field) => (spend(text) ? reader.clause(text, field) : undefined),
    field: reader.field,
    ...(reader.relations && { relations: reader.relations }),
  };
}

function isProven(
  text: string,
  fix: Fix,
  mended: Diagnostic,
  diagnostics: readonly Diagnostic[],
  reader: FixReader,
): boolean {
  const errors = errorsIn(diagnostics);
  if (fix.intent === 'habit') return isTidied(reader.read(applyFix(text, fix)).diagnostics, mended, diagnostics);
  if (
    errors > 1 &&
    errorsIn(reader.read(applyFix(text, fix)).diagnostics) >= errors + Number(mended.severity === 'warning')
  )
    return false;
  const alone = withoutOtherErrors(text, fix, mended, diagnostics);
  const fixed = reader.read(applyFix(alone.text, alone.fix));
  if (fixed.query === undefined) return false;
  const masked = mask(alone.text, alone.fix);
  const around = masked && reader.read(masked.text);
  if (!FIRST.has(mended.code) && fixed.diagnostics.some(({ code }) => FIRST.has(code))) return false;
  // X's advice against a dash before a group is no reason to refuse a rule, nor is what is mended next.
  const remarks = fixed.diagnostics.filter(
    ({ code, fixes }) =>
      !(fix.habit && fixes !== undefined && !USELESS.has(code)) &&
      !(isExclusion(fix.intent) && code === 'negated-group'),
  );
  if (addsWarnings(remarks, [diagnostics, around?.diagnostics ?? []])) return false;
  if (mended.severity === 'warning' && countOf(fixed.diagnostics, mended.code) >= countOf(diagnostics, mended.code))
    return false;
  return isMeant(alone.text, alone.fix, fixed.query, masked && around && { ...masked, query: around.query }, reader);
}

/** A text that was pasted or encoded is read anew, and what is still wrong with it then is said then. */
function isTidied(after: readonly Diagnostic[], mended: Diagnostic, before: readonly Diagnostic[]): boolean {
  const isError = mended.severity === 'error';
  if (errorsIn(after) > errorsIn(before) - Number(isError)) return false;
  if (!isError && countOf(after, mended.code) >= countOf(before, mended.code)) return false;
  return !after.some(({ code }) => USELESS.has(code));
}

const errorsIn = (list: readonly Diagnostic[]) => list.filter(({ severity }) => severity === 'error').length;

function countsOf(list: readonly Diagnostic[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { code } of list) counts.set(code, (counts.get(code) ?? 0) + 1);
  return counts;
}

const countOf = (list: readonly Diagnostic[], code: string) => countsOf(list).get(code) ?? 0;

/** Whether the rule would match nothing or everything, or a value that no event has, where it did not before. */
export function endsWorse(after: readonly Diagnostic[], before: readonly Diagnostic[]): boolean {
  const allowed = countsOf(before);
  return [...countsOf(after)].some(
    ([code, count]) => (USELESS.has(code) || FIRST.has(code)) && count > (allowed.get(code) ?? 0),
  );
}

function addsWarnings(after: readonly Diagnostic[], before: readonly (readonly Diagnostic[])[]): boolean {
  const allowed = before.map(countsOf);
  for (const [code, count] of countsOf(after)) {
    if (USELESS.has(code) || allowed.every((counts) => count > (counts.get(code) ?? 0))) return true;
  }
  return false;
}

/** The text in which only this diagnostic is an error: the others are mended, or their places filled. */
function withoutOtherErrors(
  text: string,
  fix: Fix,
  mended: Diagnostic,
  diagnostics: readonly Diagnostic[],
): { text: string; fix: Fix } {
  const edits: Fix[] = [];
  for (const other of diagnostics) {
    if (other === mended || other.severity !== 'error') continue;
    const filled = { span: other.span, text: wordNotIn(text, edits.length + 1) };
    const isFree = ({ span }: Fix) => ![fix, ...edits].some((edit) => overlap(edit.span, span));
    const edit = [...(other.fixes?.slice(0, 1) ?? []), filled].find(isFree);
    if (edit !== undefined) edits.push(edit);
  }
  let moved = 0;
  let mendedText = text;
  for (const edit of edits.toSorted((one, another) => another.span.start - one.span.start)) {
    if (edit.span.start <= fix.span.start) moved += edit.text.length - (edit.span.end - edit.span.start);
    mendedText = applyFix(mendedText, edit);
  }
  const span = { start: fix.span.start + moved, end: fix.span.end + moved };
  return { text: mendedText, fix: { ...fix, span } };
}

const overlap = (one: Span, other: Span) =>
  one.start === other.start || (one.start < other.end && other.start < one.end);

interface Masked {
  readonly text: string;
  readonly word: string;
  /** The text that the fix puts in the place of the word. */
  readonly written: string;
  /** The text before that place. */
  readonly before: string;
}

/** The text with a word in the place of the clause that the fix changes. */
function mask(text: string, { span, text: written }: Fix): Masked | undefined {
  if (written === '' && span.start === span.end) return undefined;
  const inside = text.slice(span.start, span.end);
  const whole = widened(text, {
    start: span.end - inside.trimStart().length,
    end: span.start + inside.trimEnd().length || span.end,
  });
  const word = wordNotIn(text, 0);
  const masked = `${text.slice(0, whole.start)}${word}${text.slice(whole.end)}`;
  return {
    text: masked,
    word,
    before: text.slice(0, whole.start),
    written: text.slice(whole.start, span.start) + written + text.slice(span.end, whole.end),
  };
}

/** As far as blanks and parentheses, with a sign at the front left out. */
function widened(text: string, { start, end }: Span): Span {
  const isEdge = (at: number) => /[\s()]/.test(text.charAt(at));
  let [from, to] = [start, end];
  if (from === to || !isEdge(from)) while (from > 0 && !isEdge(from - 1)) from--;
  if (from === to || !isEdge(to - 1)) while (to < text.length && !isEdge(to)) to++;
  while (from < start && /[-+!]/.test(text.charAt(from))) from++;
  return { start: from, end: to };
}

function wordNotIn(text: string, number: number): string {
  let word = `zq${number}`;
  while (text.includes(word)) word += 'q';
  return word;
}

function isMeant(
  text: string,
  fix: Fix,
  fixed: Query,
  around: (Masked & { query: Query | undefined }) | undefined,
  reader: FixReader,
): boolean {
  const { intent } = fix;
  if (intent === 'same') {
    const { query } = reader.read(text);
    return query !== undefined && (sameMeaning(query, fixed) || isSameByRelations(query, fixed, reader));
  }
  const isBlankAdded = fix.span.start === fix.span.end && fix.text === ' ';
  if (
    intent === undefined &&
    (isBlankAdded || (isPunctuation(text.slice(fix.span.start, fix.span.end)) && isPunctuation(fix.text)))
  )
    return true;
  if (around?.query === undefined) return false;
  if (isExclusion(intent)) return isExcluded(intent.excludes, fixed, { ...around, query: around.query }, reader);
  if (around.written.trim() === '') {
    return [EVERYTHING, NOTHING].some((neutral) =>
      sameMeaning(
        substitute(around.query!, around.word, () => neutral),
        fixed,
      ),
    );
  }
  const meaning = (field: string) =>
    queryOf(intent ?? { clause: around.written }, reader, field === reader.field ? undefined : field);
  let failed = false;
  const expected = substitute(around.query, around.word, (field) => {
    const meant = meaning(field);
    failed ||= meant === undefined;
    return meant ?? NOTHING;
  });
  return !failed && sameMeaning(expected, fixed);
}

/** Whether two queries mean the same for every event that there can be: `"lava flow" lava` and `"lava flow"`. */
function isSameByRelations(one: Query, other: Query, { relations }: FixReader): boolean {
  if (relations === undefined) return false;
  const known = knownOf([one, other], relations);
  return sameMeaning(all([one, known]), all([other, known]));
}

const isExclusion = (intent: Intent | undefined): intent is { readonly excludes: string } =>
  typeof intent === 'object' && 'excludes' in intent;

/** The rest of the rule without the clause: of all of it, or of the side of an OR that it stands in. */
function isExcluded(clause: string, fixed: Query, around: Masked & { query: Query }, reader: FixReader): boolean {
  const excluded = reader.clause(clause, undefined);
  if (excluded === undefined) return false;
  const rest = [EVERYTHING, NOTHING].map((neutral) =>
    all([substitute(around.query, around.word, () => neutral), not(excluded)]),
  );
  const inPlace = substitute(around.query, around.word, () => not(excluded));
  if ([...rest, inPlace].some((expected) => sameMeaning(expected, fixed))) return true;
  // In a list that is still to be mended the clauses around it may change their places; what is excluded stays so.
  return sameMeaning(all([fixed, excluded]), NOTHING);
}

/** Parentheses, quotes and the words AND and OR are no clauses: that the text can be read with the edit says all. */
const isPunctuation = (text: string) =>
  text === '' || (text.trim() !== '' && /^(?:[()[\]{}"\s]|\b(?:AND|OR)\b|&&|\|\|)*$/.test(text));

function queryOf(intent: Intent, reader: FixReader, field: string | undefined): Query | undefined {
  if (typeof intent === 'string' || 'excludes' in intent) return undefined;
  if ('clause' in intent) return reader.clause(intent.clause, field);
  if ('not' in intent) {
    const query = queryOf(intent.not, reader, field);
    return query && not(query);
  }
  const parts = ('all' in intent ? intent.all : intent.any).map((part) => queryOf(part, reader, field));
  if (parts.includes(undefined)) return undefined;
  return ('all' in intent ? all : any)(parts as Query[]);
}

/** The query with another one in the place of a word. */
function substitute(query: Query, word: string, by: (field: string) => Query): Query {
  switch (query.kind) {
    case 'all':
    case 'any':
      return (query.kind === 'all' ? all : any)(query.of.map((part) => substitute(part, word, by)));
    case 'not':
      return not(substitute(query.query, word, by));
    case 'term':
      return query.term === word ? by(query.field) : query;
    default:
      return query;
  }
}
