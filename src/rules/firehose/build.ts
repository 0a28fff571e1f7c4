/**
 * Builds from the syntax what Lucene's parser builds: analysed text, and clauses in flat lists, each required, optional or
 * prohibited. AND and OR have no precedence: AND only marks the clauses on both its sides as required.
 */
import type { Span } from '../diagnostic.ts';
import type { Predicate } from '../query.ts';
import { newWordSpans } from '../words.ts';
import { floatOf, foldWildcard } from './escape.ts';
import type { Report } from './messages.ts';
import { fieldNamed, LIMITS } from './syntax-table.ts';
import type { Clause, Leaf, Range, Syntax } from './syntax-tree.ts';
import { fold, isStopWord, scanWords } from './words.ts';

export type Built =
  | BuiltList
  | { readonly kind: 'boost'; readonly of: Built; readonly factor: number }
  | { readonly kind: 'everything' }
  | { readonly kind: 'recent'; readonly milliseconds: number; readonly text: string }
  | { readonly kind: 'range'; readonly field: string; readonly range: Range }
  | Extract<Predicate, { kind: 'term' | 'phrase' | 'prefix' | 'wildcard' | 'regex' | 'fuzzy' | 'number' }>;

export interface BuiltList {
  readonly kind: 'list';
  readonly clauses: readonly BuiltClause[];
}

export interface BuiltClause extends Span {
  occur: 'must' | 'should' | 'not';
  readonly of: Built;
}

export interface BuildOptions {
  /** Ignores Firehose's additions: `dr` and `recent` are ordinary fields, as Lucene alone would read them. */
  readonly plain: boolean;
  readonly report: Report;
  /** Receives the leaves that are empty after analysis. */
  readonly dropped?: Leaf[];
  /** Reads a leaf that Lucene does not know. */
  readonly special: (leaf: Leaf) => Built | undefined;
}

/** Returns undefined if nothing is left after analysis: a rule of stop words only. */
export function build(clauses: readonly Clause[], options: BuildOptions): Built | undefined {
  let count = 0;
  const tooMany = () => ++count > LIMITS.clauses;

  function buildList(list: readonly Clause[]): Built | undefined {
    const built: BuiltClause[] = [];
    let first: Built | undefined;
    for (let index = 0; index < list.length; index++) {
      if (count > LIMITS.clauses) return undefined;
      const { conj, mod, node } = list[index]!;
      const last = built.at(-1);
      if (conj === 'and' && last !== undefined && last.occur !== 'not') last.occur = 'must';
      const of = buildNode(node);
      if (index === 0 && mod === undefined) first = of;
      if (of === undefined) continue;
      const { start, end } = { start: node.fieldSpan?.start ?? node.start, end: node.end };
      if (node.kind === 'leaf' && node.form === 'run') {
        for (const part of of.kind === 'list' ? of.clauses : [{ of }])
          built.push({ occur: 'should', of: part.of, start, end });
      } else {
        const occur = mod === 'not' ? 'not' : mod === 'must' || conj === 'and' ? 'must' : 'should';
        built.push({ occur, of, start, end });
      }
    }
    if (built.length === 1 && first !== undefined) return first;
    return built.length === 0 ? undefined : { kind: 'list', clauses: built };
  }

  function buildNode(node: Syntax): Built | undefined {
    const of = node.kind === 'group' ? buildList(node.clauses) : buildLeaf(node, options);
    if (node.kind === 'leaf' && (tooMany() || (of?.kind === 'list' && of.clauses.slice(1).some(tooMany)))) {
      if (count === LIMITS.clauses + 1) options.report.add('too-many-clauses', node);
    }
    if (of === undefined && node.kind === 'leaf') options.dropped?.push(node);
    return of !== undefined && node.boost !== undefined ? { kind: 'boost', of, factor: node.boost } : of;
  }

  return buildList(clauses);
}

function buildLeaf(leaf: Leaf, options: BuildOptions): Built | undefined {
  const { field, text, form, range } = leaf;
  const kind = fieldNamed(field)?.kind;
  if (!options.plain && (kind === 'number' || kind === 'filter')) return options.special(leaf);
  const exact = kind === 'exact';
  const lower = exact ? (value: string) => value : fold;
  const lowerBound = (bound: string | undefined) => (bound === undefined ? undefined : lower(bound));
  switch (form) {
    case 'prefix':
      return { kind: 'prefix', field, prefix: lower(text) };
    case 'wildcard':
      if (field === '*' && text === '*') return { kind: 'everything' };
      return { kind: 'wildcard', field, pattern: exact ? text : foldWildcard(text) };
    case 'regex':
      return { kind: 'regex', field, pattern: lower(text) };
    case 'range':
      return { kind: 'range', field, range: { ...range!, from: lowerBound(range?.from), to: lowerBound(range?.to) } };
    case 'quoted':
      return buildText(leaf, options.report);
    case 'term':
    case 'run':
    case 'sign':
      return leaf.tilde === undefined ? buildText(leaf, undefined) : buildFuzzy(leaf, lower(text), options.report);
  }
}

/** A report is given for quoted text, which makes a phrase; other text makes a list of optional words. */
function buildText(leaf: Leaf, report: Report | undefined): Built | undefined {
  const { field, text } = leaf;
  if (fieldNamed(field)?.kind === 'exact') return { kind: 'term', field, term: text };
  const terms = analyze(field, text);
  const words = terms.filter((term) => term !== null);
  if (words.length === 0) return undefined;
  if (words.length === 1) return { kind: 'term', field, term: words[0]! };
  if (report !== undefined) return { kind: 'phrase', field, terms, slop: slopOf(leaf, report) };
  const { start, end } = leaf;
  return {
    kind: 'list',
    clauses: words.map((term) => ({ occur: 'should', of: { kind: 'term', field, term }, start, end })),
  };
}

const spans = newWordSpans(64);

/** The words of a text in order; a stop word leaves a hole, but not at the end. */
export function analyze(field: string, text: string): (string | null)[] {
  const known = fieldNamed(field);
  const dropsStopWords = known === undefined || known.stopWords || known.kind !== 'text';
  const folded = fold(text);
  spans.count = 0;
  scanWords(folded, spans);
  const terms: (string | null)[] = [];
  for (let index = 0; index < spans.count; index++) {
    const start = spans.starts[index]!;
    const end = spans.ends[index]!;
    terms.push(dropsStopWords && isStopWord(folded, start, end) ? null : folded.slice(start, end));
  }
  while (terms.at(-1) === null) terms.pop();
  return terms;
}

function slopOf(leaf: Leaf, report: Report): number {
  const slop = Math.trunc(floatOf(leaf.tilde ?? '') ?? 0) || 0;
  if (slop < 0) report.add('bad-fuzzy', leaf, 'The distance of a phrase cannot be negative.');
  return Math.min(slop, 2_147_483_647);
}

function buildFuzzy(leaf: Leaf, term: string, report: Report): Built {
  const wanted = floatOf(leaf.tilde ?? '') ?? LIMITS.edits;
  if (wanted < 0) report.add('bad-fuzzy', leaf, 'The edit distance cannot be negative; write ~1 or ~2.');
  else if (wanted >= 1 && Math.trunc(wanted) !== wanted) {
    report.add('bad-fuzzy', leaf, 'The edit distance must be whole: ~1 or ~2.');
  }
  return { kind: 'fuzzy', field: leaf.field, term, edits: editsOf(wanted, Array.from(term).length) };
}

/** A number below 1 is the old notation: how similar the words must be. */
function editsOf(wanted: number, length: number): number {
  if (wanted >= 1) return Math.min(wanted, LIMITS.edits);
  if (wanted === 0 || Number.isNaN(wanted)) return 0;
  return Math.min(Math.trunc((1 - wanted) * length), LIMITS.edits);
}
