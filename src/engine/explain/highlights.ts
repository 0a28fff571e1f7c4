/**
 * Why an event matches: the places in its payload that satisfied the query, and nothing else: what a query excludes, or
 * a branch that did not hold, shows nothing.
 */
import type { Predicate, Query } from '../../rules/query.ts';
import type { EventView, PointSpan } from '../events/event-view.ts';
import { find } from './find-spans.ts';
import { type Found, type Look, lookAt, offsetsOf, unitsOf } from './view-lookup.ts';

export interface Highlight {
  /** Path of a string in the payload, for instance `data.text` or `diff.chunks.2.text`. */
  readonly field: string;
  /** UTF-16 offsets into that string as delivered; `end` is exclusive. */
  readonly start: number;
  readonly end: number;
}

/** Ordered by field and place, none touching another. Empty also when the query does not hold. */
export function highlights(query: Query, view: EventView, now: number): Highlight[] {
  const shown: Highlight[] = [];
  show(query, lookAt(query, view, now), shown);
  return merged(shown);
}

/** Adds what shows that the query holds; false, and nothing added, when it does not. */
function show(query: Query, look: Look, shown: Highlight[]): boolean {
  const before = shown.length;
  switch (query.kind) {
    case 'everything':
      return true;
    case 'nothing':
      return false;
    case 'not': {
      const held = show(query.query, look, shown);
      shown.length = before;
      return !held;
    }
    case 'all': {
      const held = query.of.every((part) => show(part, look, shown));
      if (!held) shown.length = before;
      return held;
    }
    case 'any': {
      let held = false;
      for (const part of query.of) if (show(part, look, shown)) held = true;
      return held;
    }
    default: {
      const places = highlightsOf(query, look);
      if (places === undefined) return false;
      for (const place of places) shown.push(place);
      return true;
    }
  }
}

/** The places where a single predicate holds, or undefined where it does not. */
export function highlightsOf(predicate: Predicate, look: Look): Highlight[] | undefined {
  const places = find(predicate, look);
  if (places === undefined) return undefined;
  const shown: Highlight[] = [];
  for (const found of places) {
    const { path, source, span } = found.piece;
    if (path === '') continue;
    const { start, end } =
      span === undefined ? mappedBack(found, offsetsOf(look, found.piece)) : inUnits(span, unitsOf(look, source));
    if (start < end) shown.push({ field: path, start, end });
  }
  return shown;
}

function mappedBack({ start, end }: Found, offsets: Int32Array | undefined): PointSpan {
  if (offsets === undefined) return { start, end };
  // Several units may come from one place: the end is where the next one begins.
  let behind = end;
  while (behind < offsets.length - 1 && offsets[behind] === offsets[end - 1]) behind++;
  return { start: offsets[start]!, end: offsets[behind]! };
}

/** Offsets that count code points come from outside, and may lie anywhere. */
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
