/**
 * Why an event matches: the places in its payload that satisfied the query. What a query excludes, and a branch that did
 * not hold, show nothing.
 */
import type { Highlight } from '../../domain/match.ts';
import type { Predicate, Query } from '../../rules/query.ts';
import type { PointSpan } from '../events/event-view.ts';
import { findSpans } from '../one-rule/find-spans.ts';
import type { PieceSpan, ViewLookup } from '../one-rule/view-lookup.ts';

/** Highlights of one match, and those that one predicate may add: the earliest of each. */
export const MOST_HIGHLIGHTS = 1_000;
export const MOST_OF_A_PREDICATE = 200;

/** Steps that the highlights of one match may take, some 10 milliseconds. */
export const MOST_STEPS = 100_000;

/**
 * The highlights of a query that holds, ordered by field and place, none touching another: at most `MOST_HIGHLIGHTS`, and
 * those found within `MOST_STEPS`. Empty when the query does not hold.
 */
export function highlights(query: Query, lookup: ViewLookup): Highlight[] {
  const shown: Highlight[] = [];
  lookup.limit = lookup.steps + MOST_STEPS;
  show(query, lookup, shown, true);
  lookup.limit = Number.POSITIVE_INFINITY;
  return merged(shown);
}

/**
 * Adds what shows that the query holds. False, and nothing added, when it does not; undefined when the steps ran out
 * first, and then nothing is added either, unless matching has made `sure` that the query holds.
 */
function show(query: Query, lookup: ViewLookup, shown: Highlight[], sure: boolean): boolean | undefined {
  switch (query.kind) {
    case 'everything':
      return true;
    case 'nothing':
      return false;
    case 'not':
      return showNot(query.query, lookup, shown);
    case 'all':
      return showAll(query.of, lookup, shown, sure);
    case 'any':
      return showAny(query.of, lookup, shown);
    default:
      return showPredicate(query, lookup, shown);
  }
}

function showNot(query: Query, lookup: ViewLookup, shown: Highlight[]): boolean | undefined {
  const before = shown.length;
  const holds = show(query, lookup, shown, false);
  shown.length = before;
  return holds === undefined ? undefined : !holds;
}

function showAll(parts: readonly Query[], lookup: ViewLookup, shown: Highlight[], sure: boolean): boolean | undefined {
  const before = shown.length;
  let holds: boolean | undefined = true;
  for (const part of parts) {
    const one = show(part, lookup, shown, sure);
    if (one !== true) holds = one;
    if (one === false) break;
  }
  if (holds === false || (holds === undefined && !sure)) shown.length = before;
  return holds;
}

function showAny(parts: readonly Query[], lookup: ViewLookup, shown: Highlight[]): boolean | undefined {
  let holds: boolean | undefined = false;
  for (const part of parts) {
    if (holds === true && (lookup.isOutOfSteps || shown.length >= MOST_HIGHLIGHTS)) break;
    const one = show(part, lookup, shown, false);
    if (holds !== true && one !== false) holds = one;
  }
  return holds;
}

function showPredicate(predicate: Predicate, lookup: ViewLookup, shown: Highlight[]): boolean | undefined {
  if (lookup.isOutOfSteps) return undefined;
  const most = Math.min(MOST_OF_A_PREDICATE, MOST_HIGHLIGHTS - shown.length);
  const { holds, spans } = findSpans(predicate, lookup, most);
  for (const one of inPayload(spans, lookup)) shown.push(one);
  return holds;
}

/** The spans as places in the payload; those that no string of the payload shows are left out. */
export function inPayload(spans: readonly PieceSpan[], lookup: ViewLookup): Highlight[] {
  return spans.flatMap((found) => {
    const { path, source, span } = found.piece;
    if (path === '') return [];
    const { start, end } =
      span === undefined
        ? mappedBack(found, lookup.sourceOffsets(found.piece))
        : inUnits(span, lookup.codePointStarts(source));
    return start < end ? [{ field: path, start, end }] : [];
  });
}

function mappedBack({ start, end }: PieceSpan, offsets: Int32Array | undefined): PointSpan {
  if (offsets === undefined) return { start, end };
  // Several units may come from one place: the end is where the next one begins.
  let behind = end;
  while (behind < offsets.length - 1 && offsets[behind] === offsets[end - 1]) behind++;
  return { start: offsets[start]!, end: offsets[behind]! };
}

/** Offsets that count code points come from the sender, and may lie anywhere. */
function inUnits({ start, end }: PointSpan, units: Int32Array): PointSpan {
  const unitOf = (point: number) => units[Math.min(Math.max(Math.trunc(point), 0), units.length - 1)]!;
  return { start: unitOf(start), end: unitOf(end) };
}

export function merged(list: readonly Highlight[]): Highlight[] {
  if (list.length < 2) return [...list];
  const ordered = list.toSorted((a, b) => (a.field < b.field ? -1 : a.field > b.field ? 1 : a.start - b.start));
  const result: Highlight[] = [];
  for (const one of ordered) {
    const last = result.at(-1);
    if (last === undefined || last.field !== one.field || one.start > last.end) result.push(one);
    else if (one.end > last.end) result[result.length - 1] = { ...last, end: one.end };
  }
  return result;
}
