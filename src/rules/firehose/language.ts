/**
 * The `firehose` rule language: Lucene's classic query syntax over web pages, including its surprises, with Firehose's
 * additions `dr` and `recent`. Text is lexed and parsed (`lex`, `parse`), analysed into Lucene's lists of clauses (`build`),
 * checked (`check`) and lowered to the shared query (`lower`).
 */
import { clausesOf, type RuleClause } from '../analysis/placed-query.ts';
import type { Diagnostic } from '../diagnostic.ts';
import { type FixReader, keepProvenFixes, withoutFixes } from '../fix.ts';
import { type Slip, slipsIn, tidied, withSlips } from '../habits/find.ts';
import type { Language, Parsed } from '../language.ts';
import type { Query } from '../query.ts';
import { type Built, type BuiltClause, build } from './build.ts';
import { check } from './check.ts';
import { floatText } from './escape.ts';
import { pageRelations } from './facts.ts';
import { firehoseHelp } from './help.ts';
import { locate, lower } from './lower.ts';
import { type Code, Report } from './messages.ts';
import { parseSyntax } from './parse.ts';
import { checkPatterns } from './patterns.ts';
import { print } from './print.ts';
import { buildSpecial } from './special.ts';
import { DEFAULT_FIELD, LIMITS } from './syntax-table.ts';
import type { Leaf } from './syntax-tree.ts';
import { weigh } from './weigh.ts';

export const firehoseLanguage: Language = {
  name: 'firehose',
  parse(text, mending) {
    const parsed = read(text);
    if (parsed.diagnostics.length === 0) return parsed;
    if (text.length > LIMITS.length) return { ...parsed, diagnostics: parsed.diagnostics.map(withoutFixes) };
    return { ...parsed, diagnostics: keepProvenFixes(text, parsed.diagnostics, reader, mending) };
  },
  queryOf: (text) => queryIn(text, new Report()).query,
  clauses(text) {
    const { query } = read(text);
    if (query === undefined) return [];
    const report = new Report();
    const clauses = parseSyntax(text, report);
    const built = clauses && build(clauses, { plain: false, report, special: (leaf) => buildSpecial(leaf, report) });
    const found = clausesOf(built && locate(built, { start: 0, end: text.length }).root);
    if (found.length === 0) return [{ query, start: 0, end: text.length }];
    return found.map((clause) => withSign(text, clause)).toSorted((one, other) => one.start - other.start);
  },
  print,
  help: firehoseHelp,
};

/** An exclusion is shown with what makes it one. */
function withSign(text: string, clause: RuleClause): RuleClause {
  if (clause.query.kind !== 'not') return clause;
  const before = /(?:NOT\s+|[-!]\s*)$/.exec(text.slice(Math.max(0, clause.start - 16), clause.start))?.[0] ?? '';
  return { ...clause, start: clause.start - before.length };
}

const reader: FixReader = {
  read,
  clause: (text, field) => read(field === undefined ? text : `${field}:(${text})`).query,
  field: DEFAULT_FIELD,
  relations: pageRelations,
  events: 'pages',
};

/** Larger rules are not checked in detail. */
const HOPELESS: ReadonlySet<string> = new Set<Code>(['too-long', 'too-many-clauses', 'too-deep']);

interface QueryReading {
  readonly query: Query | undefined;
  readonly clauses: ReturnType<typeof parseSyntax>;
  readonly built: ReturnType<typeof build>;
  readonly dropped: Leaf[];
}

function queryIn(text: string, report: Report): QueryReading {
  if (text.length > LIMITS.length) report.add('too-long', { start: LIMITS.length, end: text.length });
  if (text.length > LIMITS.hopelessLength)
    return { query: undefined, clauses: undefined, built: undefined, dropped: [] };
  const clauses = parseSyntax(text, report);
  const dropped: Leaf[] = [];
  const special = (leaf: Leaf) => buildSpecial(leaf, report);
  const built = clauses && build(clauses, { plain: false, report, dropped, special });
  if (report.errors === 0 && /[/*?]/.test(text)) checkPatterns(clauses ?? [], report);
  if (!report.diagnostics.some(({ code }) => HOPELESS.has(code))) check(text, clauses ?? [], report);
  return { query: report.errors > 0 ? undefined : lower(built), clauses, built, dropped };
}

function read(text: string): Parsed {
  const report = new Report();
  const { query, clauses, built, dropped } = queryIn(text, report);
  if (query !== undefined) weigh(text, built, clauses ?? [], dropped, report);
  const byPlace = (one: Diagnostic, other: Diagnostic) =>
    one.span.start - other.span.start || one.span.end - other.span.end;
  const slips = slipsIn(text, 'firehose');
  const diagnostics = withSlips(slips, report.diagnostics, slipWarning);
  return { query, diagnostics: diagnostics.toSorted(byPlace), ...tidied(text, slips) };
}

function slipWarning({ start, end, message, fixes, code }: Slip): Diagnostic {
  const report = new Report();
  report.add(code === 'quotes' ? 'curly-quotes' : code, { start, end }, message, fixes);
  return report.diagnostics[0]!;
}

/** The rule as Lucene prints it; undefined if Lucene refuses it. To Lucene `dr` and `recent` are ordinary fields. */
export function renderLucene(text: string): string | undefined {
  const report = new Report();
  const clauses = parseSyntax(text, report);
  const built = clauses && build(clauses, { plain: true, report, special: () => undefined });
  checkPatterns(clauses ?? [], report);
  return report.errors > 0 ? undefined : render(built);
}

function render(built: Built | undefined): string {
  if (built === undefined) return '';
  switch (built.kind) {
    case 'list':
      return built.clauses.map(renderClause).join(' ');
    case 'boost':
      return `(${render(built.of)})^${floatText(built.factor)}`;
    case 'everything':
      return '*:*';
    case 'recent':
      return `recent:${built.text}`;
    case 'term':
      return named(built.field, built.term);
    case 'phrase': {
      const words = built.terms.map((term) => term ?? '?').join(' ');
      return named(built.field, `"${words}"${built.slop === 0 ? '' : `~${built.slop}`}`);
    }
    case 'prefix':
      return named(built.field, `${built.prefix}*`);
    case 'wildcard':
      return named(built.field, built.pattern);
    case 'regex':
      return named(built.field, `/${built.pattern}/`);
    case 'fuzzy':
      return named(built.field, `${built.term}~${built.edits}`);
    case 'range': {
      const { from, to, fromInclusive, toInclusive } = built.range;
      return named(built.field, `${fromInclusive ? '[' : '{'}${bound(from)} TO ${bound(to)}${toInclusive ? ']' : '}'}`);
    }
    case 'number': {
      const open = built.from?.inclusive === false ? '{' : '[';
      const close = built.to?.inclusive === false ? '}' : ']';
      return named(built.field, `${open}${built.from?.value ?? '*'} TO ${built.to?.value ?? '*'}${close}`);
    }
  }
}

function renderClause({ occur, of }: BuiltClause): string {
  const text = of.kind === 'list' ? `(${render(of)})` : render(of);
  return `${occur === 'must' ? '+' : occur === 'not' ? '-' : ''}${text}`;
}

const named = (field: string, text: string) => (field === DEFAULT_FIELD ? text : `${field}:${text}`);

const bound = (text: string | undefined) => (text === undefined ? '*' : text === '*' ? '\\*' : text);
