/** Where in an event a predicate holds: the words and stretches of text that show it. */
import { type PatternPredicate, patternOf } from '../../rules/pattern/pattern.ts';
import type { Predicate } from '../../rules/query.ts';
import type { EventView } from '../events/event-view.ts';
import { holds } from '../scan.ts';
import { type Found, type Look, placesOf, wordAt } from './view-lookup.ts';

/** Nobody reads more; and a text of one word a million times over must not cost a million answers. */
const MOST_FOUND = 1000;

/** Undefined when the predicate does not hold; empty when it does and no text shows it, as with a number or a time. */
export function find(predicate: Predicate, look: Look): Found[] | undefined {
  const found = shownBy(predicate, look);
  if (found === undefined) return holds(predicate, look.view, look.now) ? [] : undefined;
  return found.length === 0 ? undefined : found;
}

/** Undefined for what text never shows. */
function shownBy(predicate: Predicate, look: Look): Found[] | undefined {
  const { view } = look;
  switch (predicate.kind) {
    case 'term': {
      const places = placesOf(look, predicate.field, predicate.term);
      return places.slice(0, MOST_FOUND).map((at) => wordAt(view, at));
    }
    case 'prefix':
    case 'wildcard':
    case 'regex':
    case 'fuzzy':
    case 'range':
      return findPattern(predicate, view);
    case 'phrase':
      return findPhrases(predicate, look);
    case 'literal':
      return findText(predicate, view, (piece, start, end) => isMadeOf(predicate.terms, view, piece, start, end));
    case 'contains':
      return findText(predicate, view, () => true);
    case 'exists':
    case 'number':
    case 'circle':
    case 'box':
    case 'sample':
    case 'recent':
    case 'upstream':
      return undefined;
  }
}

function findPattern(predicate: PatternPredicate, view: EventView): Found[] {
  const { pieces, words } = view;
  const pattern = patternOf(predicate);
  const found: Found[] = [];
  for (let at = 0; at < words.count && found.length < MOST_FOUND; at++) {
    const { field, text } = pieces[words.pieces[at]!]!;
    if (field === predicate.field && pattern.test(text, words.starts[at]!, words.ends[at]!))
      found.push(wordAt(view, at));
  }
  return found;
}

type FitsStretch = (piece: number, start: number, end: number) => boolean;

function findText({ field, text }: { field: string; text: string }, { pieces }: EventView, fits: FitsStretch): Found[] {
  const found: Found[] = [];
  for (const [index, piece] of pieces.entries()) {
    if (piece.field !== field) continue;
    for (
      let at = piece.text.indexOf(text);
      at >= 0 && found.length < MOST_FOUND;
      at = piece.text.indexOf(text, at + 1)
    ) {
      const end = at + text.length;
      if (fits(index, at, end)) found.push({ piece, start: at, end });
    }
  }
  return found;
}

/** Whether the words that a stretch touches are these, and whole. */
function isMadeOf(terms: readonly string[], view: EventView, piece: number, start: number, end: number): boolean {
  const { words } = view;
  const { text } = view.pieces[piece]!;
  const first = firstWordBehind(view, piece, start);
  let at = first;
  for (; at < words.count && words.pieces[at] === piece && words.starts[at]! < end; at++) {
    const whole = words.starts[at]! >= start && words.ends[at]! <= end;
    if (!whole || terms[at - first] !== text.slice(words.starts[at], words.ends[at])) return false;
  }
  return at - first === terms.length;
}

/** The first word of the piece that ends behind a unit; words are in order, so halving finds it. */
function firstWordBehind({ words }: EventView, piece: number, unit: number): number {
  let low = 0;
  let high = words.count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const before = words.pieces[middle]! < piece || (words.pieces[middle] === piece && words.ends[middle]! <= unit);
    if (before) low = middle + 1;
    else high = middle;
  }
  return low;
}

interface Slot {
  readonly term: string;
  readonly offset: number;
  readonly places: readonly number[];
  /** The first place that the window has not passed. */
  next: number;
}

/**
 * Slides a window of `slop` over the field. Each term takes its first word in it; where one lies behind the window, the
 * window moves on to reach it, as no earlier one can hold them all.
 */
function findPhrases({ field, terms, slop }: Extract<Predicate, { kind: 'phrase' }>, look: Look): Found[] {
  const slots = terms.flatMap((term, offset): Slot[] =>
    term === null ? [] : [{ term, offset, places: placesOf(look, field, term), next: 0 }],
  );
  const found: Found[] = [];
  if (slots.length === 0) return found;
  for (let from = Number.NEGATIVE_INFINITY; found.length < MOST_FOUND; ) {
    const fit = fitWindow(slots, look.view, from, slop);
    if (fit === undefined) break;
    const words = fit.places.map((at) => wordAt(look.view, at));
    found.push(...(slop === 0 ? asOne(words) : words));
    from = fit.next;
  }
  return found;
}

/** The places of the first window from here that holds all terms, and where the next can begin. */
function fitWindow(slots: readonly Slot[], { words }: EventView, start: number, slop: number) {
  for (let from = start; ; ) {
    const taken = new Map<string, number>();
    const places: number[] = [];
    let low = Number.POSITIVE_INFINITY;
    let high = Number.NEGATIVE_INFINITY;
    for (const slot of slots) {
      while (slot.next < slot.places.length && words.positions[slot.places[slot.next]!]! - slot.offset < from)
        slot.next++;
      // Equal terms take a word each.
      const index = Math.max(slot.next, (taken.get(slot.term) ?? -1) + 1);
      const place = slot.places[index];
      if (place === undefined) return undefined;
      taken.set(slot.term, index);
      places.push(place);
      low = Math.min(low, words.positions[place]! - slot.offset);
      high = Math.max(high, words.positions[place]! - slot.offset);
      if (high - low > slop) break;
    }
    if (high - low <= slop) return { places, next: low + 1 };
    from = high - slop;
  }
}

/** Words that stand together, as one stretch for each piece they are in. */
function asOne(words: readonly Found[]): Found[] {
  return [...Map.groupBy(words, (word) => word.piece)].map(([piece, inside]) => ({
    piece,
    start: Math.min(...inside.map((word) => word.start)),
    end: Math.max(...inside.map((word) => word.end)),
  }));
}
