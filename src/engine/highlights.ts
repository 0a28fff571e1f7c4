/**
 * Why an event matches: the places in its payload that satisfied the query, and nothing else: what a query excludes, or
 * a branch that did not hold, shows nothing.
 */
import type { Predicate, Query } from '../rules/query.ts';
import type { EventView, PointSpan } from './event.ts';
import { type Found, find } from './find.ts';
import { holds } from './scan.ts';

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
    case 'everything':
    case 'nothing':
    case 'not':
      return holds(query, view, now) ? [] : undefined;
    default:
      return holds(query, view, now) ? highlightsOf(query, view) : undefined;
  }
}

/** The places where a single predicate holds. */
export function highlightsOf(predicate: Predicate, view: EventView): Highlight[] {
  const offsets = new Map<object, Int32Array | undefined>();
  return find(predicate, view).flatMap((found) => {
    const { piece } = found;
    if (piece.path === '') return [];
    if (piece.span !== undefined) return spanned(piece.path, piece.source, piece.span);
    if (!offsets.has(piece)) offsets.set(piece, view.offsetsOf(piece));
    return [{ field: piece.path, ...mappedBack(found, offsets.get(piece)) }];
  });
}

function mappedBack({ start, end }: Found, offsets: Int32Array | undefined): PointSpan {
  if (offsets === undefined) return { start, end };
  // Several units may come from one place: the end is where the next one begins.
  let behind = end;
  while (behind < offsets.length - 1 && offsets[behind] === offsets[end - 1]) behind++;
  return { start: offsets[start]!, end: offsets[behind]! };
}

/** A value that stands in a text, whose offsets count code points and come from outside: they may lie anywhere. */
function spanned(field: string, source: string, { start, end }: PointSpan): Highlight[] {
  const from = unitOf(source, start, 0, 0);
  const to = unitOf(source, end, start, from);
  return from < to ? [{ field, start: from, end: to }] : [];
}

/** Where a code point begins, counted on from a known place; the end of the text when there are not so many. */
function unitOf(text: string, point: number, knownPoint: number, knownUnit: number): number {
  let unit = knownUnit;
  for (let at = knownPoint; at < point && unit < text.length; at++) unit += text.codePointAt(unit)! > 0xffff ? 2 : 1;
  return unit;
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
