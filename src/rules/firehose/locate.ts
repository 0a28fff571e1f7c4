/** A rule as Lucene reads it, in the form that the analysis needs: each part with its place in the text. */
import type { PlacedQuery } from '../analysis/placed-query.ts';
import type { Span } from '../diagnostic.ts';
import type { Built, BuiltList } from './build.ts';
import { lower } from './lower.ts';

export interface LocatedRule {
  /** Undefined if only `recent` is left. */
  readonly root: PlacedQuery | undefined;
  /** Optional clauses beside a required one, which have no effect. */
  readonly ignored: readonly Span[];
}

export function locate(built: Built, { start, end }: Span): LocatedRule {
  const ignored: Span[] = [];
  const recents: PlacedQuery[] = [];
  const root = placedQueryOf(built, { start, end }, ignored, recents);
  if (recents.length === 0) return { root, ignored };
  return { root: { kind: 'all', of: root === undefined ? recents : [...recents, root], start, end }, ignored };
}

/** `recent` applies to the whole rule, wherever it is written. */
function placedQueryOf(built: Built, span: Span, ignored: Span[], recents: PlacedQuery[]): PlacedQuery | undefined {
  const { start, end } = span;
  if (built.kind === 'boost') return placedQueryOf(built.of, span, ignored, recents);
  if (built.kind === 'list') return placedListOf(built, span, ignored, recents);
  const leaf: PlacedQuery = { kind: 'leaf', query: lower(built), start, end };
  if (built.kind !== 'recent') return leaf;
  recents.push(leaf);
  return undefined;
}

function placedListOf(
  { clauses }: BuiltList,
  { start, end }: Span,
  ignored: Span[],
  recents: PlacedQuery[],
): PlacedQuery | undefined {
  const required: PlacedQuery[] = [];
  const optional: PlacedQuery[] = [];
  let excludes = false;
  const before = recents.length;
  for (const { occur, of, ...span } of clauses) {
    const piece = placedQueryOf(of, span, ignored, recents);
    if (piece === undefined) continue;
    excludes ||= occur === 'not';
    if (occur === 'should') optional.push(piece);
    else required.push(occur === 'must' ? piece : { kind: 'not', of: piece, ...span });
  }
  const hasRequired = clauses.some(({ occur, of }) => occur === 'must' && of.kind !== 'recent');
  if (hasRequired) ignored.push(...optional);
  else if (optional.length > 0)
    required.unshift({ kind: 'any', of: optional, start: optional[0]!.start, end: optional.at(-1)!.end });
  else if (excludes && recents.length === before)
    return { kind: 'leaf', query: { kind: 'nothing' }, dead: ONLY_EXCLUSIONS, start, end };
  return required.length === 0 ? undefined : { kind: 'all', of: required, start, end };
}

const ONLY_EXCLUSIONS = { why: 'exclusions alone match nothing; say what they are taken from.' } as const;
