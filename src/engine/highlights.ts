/**
 * Why an event matches: the places in its payload that satisfied the query, and nothing else: what a query excludes, or
 * a branch that did not hold, shows nothing.
 */
import type { Predicate, Query } from '../rules/query.ts';
import type { EventView, PointSpan } from './event.ts';
import { find } from './find.ts';
import { type Found, offsetsOf, unitsOf } from './view-memo.ts';

export interface Highlight {
  /** Path of a string in the payload, for instance `data.text` or `diff.chunks.2.text`. */
  readonly field: string;
  /** UTF-16 offsets into that string as delivered; `end` is exclusive. */
  readonly start: number;
  readonly end: number;
}

/** Ordered by field and place, none touching another. Empty also when the query does not hold. */
export const highlights = (query: Query, view: EventView, now: number): Highlight[] =>
  merged(evidence(query, view, now) ?? []);

/** What shows that the query holds, or undefined when it does not. */
function evidence(query: Query, view: EventView, now: number): Highlight[] | undefined {
  switch (query.kind) {
    case 'all': {
      const shown: Highlight[] = [];
      for (const part of query.of) {
        const more = evidence(part, view, now);
        if (more === undefined) return undefined;
        shown.push(...more);
      }
      return shown;
    }
    case 'any': {
      const held = query.of.map((part) => evidence(part, view, now)).filter((one) => one !== undefined);
      return held.length === 0 ? undefined : held.flat();
    }
    case 'not':
      return evidence(query.query, view, now) === undefined ? [] : undefined;
    case 'everything':
      return [];
    case 'nothing':
      return undefined;
    default:
      return highlightsOf(query, view, now);
  }
}

/** The places where a single predicate holds, or undefined where it does not. */
export function highlightsOf(predicate: Predicate, view: EventView, now: number): Highlight[] | undefined {
  return find(predicate, view, now)?.flatMap((found) => {
    const { path, source, span } = found.piece;
    if (path === '') return [];
    const place =
      span === undefined ? mappedBack(found, offsetsOf(view, found.piece)) : inUnits(span, unitsOf(view, source));
    return place.start < place.end ? [{ field: path, ...place }] : [];
  });
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
  const ordered = [...list].sort((a, b) => (a.field < b.field ? -1 : a.field > b.field ? 1 : a.start - b.start));
  const result: Highlight[] = [];
  for (const one of ordered) {
    const last = result.at(-1);
    if (last === undefined || last.field !== one.field || one.start > last.end) result.push(one);
    else if (one.end > last.end) result[result.length - 1] = { ...last, end: one.end };
  }
  return result;
}
