/**
 * Where in an event a predicate holds: the words and stretches of text that show it. Asked only about rules that match,
 * or that somebody wants explained; but then about any rule and any text, so each answer takes time linear in the text.
 */
import { compilePattern } from '../rules/pattern/pattern.ts';
import type { Predicate } from '../rules/query.ts';
import type { EventView } from './event.ts';
import { holds } from './scan.ts';
import { type Found, type Word, wordsOf } from './view-memo.ts';

/** Nobody reads more; and a text of one word a million times over must not cost a million answers. */
const MOST_FOUND = 1000;

/** Undefined when the predicate does not hold; empty when it does and no text shows it, as with a number or a time. */
export function find(predicate: Predicate, view: EventView, now: number): Found[] | undefined {
  const found = shownBy(predicate, view);
  if (found === undefined) return holds(predicate, view, now) ? [] : undefined;
  return found.length === 0 ? undefined : found;
}

/** Undefined for what text never shows. */
function shownBy(predicate: Predicate, view: EventView): Found[] | undefined {
  switch (predicate.kind) {
    case 'term':
      return wordsOf(view, predicate.field).get(predicate.term)?.slice(0, MOST_FOUND) ?? [];
    case 'prefix':
    case 'wildcard':
    case 'regex':
    case 'fuzzy':
    case 'range':
      return findPattern(predicate, view);
    case 'phrase':
      return findPhrases(predicate, view);
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

function findPattern(predicate: Parameters<typeof compilePattern>[0], view: EventView): Found[] {
  const pattern = compilePattern(predicate);
  const found: Found[] = [];
  for (const [term, places] of wordsOf(view, predicate.field)) {
    if (found.length < MOST_FOUND && pattern.test(term, 0, term.length)) found.push(...places.slice(0, MOST_FOUND));
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
    const term = terms[at - first];
    const fits = words.starts[at]! >= start && words.ends[at]! <= end;
    if (!fits || term !== text.slice(words.starts[at], words.ends[at])) return false;
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
  readonly words: readonly Word[];
  /** The first word that the window has not passed. */
  next: number;
}

/**
 * Slides a window of `slop` over the field. Each term takes its first word in it; where one lies behind the window, the
 * window moves on to reach it, as no earlier one can hold them all.
 */
function findPhrases({ field, terms, slop }: Extract<Predicate, { kind: 'phrase' }>, view: EventView): Found[] {
  const places = wordsOf(view, field);
  const slots = terms.flatMap((term, offset): Slot[] =>
    term === null ? [] : [{ term, offset, words: places.get(term) ?? [], next: 0 }],
  );
  const found: Found[] = [];
  if (slots.length === 0) return found;
  for (let from = Number.NEGATIVE_INFINITY; found.length < MOST_FOUND; ) {
    const fit = fitWindow(slots, from, slop);
    if (fit === undefined) break;
    if (fit.words !== undefined) found.push(...(slop === 0 ? asOne(fit.words) : fit.words));
    from = fit.next;
  }
  return found;
}

/** The words of one window, or none, and where the next can begin; undefined when there is no further. */
function fitWindow(slots: readonly Slot[], from: number, slop: number): { words?: Word[]; next: number } | undefined {
  const taken = new Map<string, number>();
  const words: Word[] = [];
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const slot of slots) {
    while (slot.next < slot.words.length && slot.words[slot.next]!.position - slot.offset < from) slot.next++;
    // Equal terms take a word each.
    const at = Math.max(slot.next, (taken.get(slot.term) ?? -1) + 1);
    const word = slot.words[at];
    if (word === undefined) return undefined;
    taken.set(slot.term, at);
    words.push(word);
    low = Math.min(low, word.position - slot.offset);
    high = Math.max(high, word.position - slot.offset);
    if (high - low > slop) return { next: high - slop };
  }
  return { words, next: low + 1 };
}

/** Words that stand together, as one stretch for each piece they are in. */
function asOne(words: readonly Word[]): Found[] {
  return [...Map.groupBy(words, (word) => word.piece)].map(([piece, inside]) => ({
    piece,
    start: Math.min(...inside.map((word) => word.start)),
    end: Math.max(...inside.map((word) => word.end)),
  }));
}
