/** The interface of a rule language. Each language lives in a folder of its own; both give the same query tree. */
import type { Platform } from '../domain/platform.ts';
import type { RuleClause } from './analysis/placed-query.ts';
import type { Diagnostic } from './diagnostic.ts';
import type { Query } from './query.ts';

export interface Parsed {
  /** It is undefined exactly when some diagnostic is an error. */
  readonly query: Query | undefined;
  /** In order of position. */
  readonly diagnostics: readonly Diagnostic[];
  /** The text with every known habit of other tools mended at once, where it has any. */
  readonly tidied?: string;
}

/** How far fixes are looked for. Several parses may share one: what one of them reads is gone for the next. */
export interface Mending {
  /** Characters that may still be read to prove fixes. A count, not a time: the same text always gets the same fixes. */
  left: number;
  /** Whether warnings are mended too, after the errors. */
  readonly warnings: boolean;
}

export interface Language {
  readonly name: Platform;
  /**
   * Never throws, on any string whatever, and takes time linear in its length. Fixes are proven by reading the text
   * again with each of them, within `mending`; without it, within the usual budget.
   */
  parse(text: string, mending?: Mending): Parsed;
  /** Parses without diagnostics, for a text that was accepted before: that takes a third of the time. */
  queryOf(text: string): Query | undefined;
  /** The clauses that the rule joins by AND, each with its place; none when the text is no rule. */
  clauses(text: string): readonly RuleClause[];
  /** The canonical text of a query in this language: it parses to the same query, and prints the same again. */
  print(query: Query): string;
  readonly help: SyntaxHelp;
}

/** The answer of Get Platform Syntax for a platform: all that a reader with no other source needs to write rules. */
export interface SyntaxHelp {
  readonly platform: Platform;
  readonly rule_type: 'premium' | 'regular';
  readonly summary: string;
  readonly grammar: string;
  readonly operators: readonly OperatorHelp[];
  readonly limits: Readonly<Record<string, number | string>>;
  readonly examples: readonly { readonly intent: string; readonly rule: string }[];
  readonly pitfalls: readonly string[];
}

export interface OperatorHelp {
  readonly name: string;
  readonly syntax: string;
  readonly description: string;
  readonly example: string;
  /** Whether a rule may consist of only this, and whether NOT may come before it. */
  readonly standalone: boolean;
  readonly negatable: boolean;
}

interface TermText {
  readonly text: string;
  readonly query: Query;
}

const NO_FIXES = { left: 0, warnings: false };

/** Rules of their own that find the term: in the text, and in the title where a language knows titles. None with a remark. */
export function termTexts(language: Language, term: string): TermText[] {
  const quoted = `"${term}"`;
  const forms = [term.includes(' ') ? [quoted] : [term, quoted], [`title:${term.includes(' ') ? quoted : term}`]];
  return forms.flatMap((texts) => {
    const fitting = texts.map((text) => termText(language, text)).find((one) => one !== undefined);
    return fitting === undefined ? [] : [fitting];
  });
}

function termText(language: Language, text: string): TermText | undefined {
  const { query, diagnostics } = language.parse(text, { ...NO_FIXES });
  if (query === undefined || diagnostics.length > 0 || query.kind === 'nothing') return undefined;
  return { text, query };
}

/** The canonical text of a query, if it is a rule of the language that means the same; undefined for one that is too long. */
export function textOfQuery(language: Language, query: Query): string | undefined {
  const text = language.print(query);
  const read = language.parse(text, { ...NO_FIXES });
  return read.query !== undefined && language.print(read.query) === text ? text : undefined;
}

/** The levels of X's accounts. They set how long rules may be, and whether `embedding:` is there. */
export const X_LEVELS = ['payg', 'enterprise', 'enterprise+embedding'] as const;
export type XLevel = (typeof X_LEVELS)[number];
export const DEFAULT_X_LEVEL: XLevel = 'payg';
