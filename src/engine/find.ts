/** Where in an event a predicate holds: the words or stretches of text that show it. Read only for what matched. */
import { compilePattern } from '../rules/pattern/pattern.ts';
import type { Predicate } from '../rules/query.ts';
import type { EventView, Piece } from './event.ts';

/** A stretch of a piece's text. */
export interface Found {
  readonly piece: Piece;
  readonly start: number;
  readonly end: number;
}

interface Word extends Found {
  readonly position: number;
}

/** No reader looks at more; and a text of one word a million times over must not cost a million answers. */
const MOST_FOUND = 1000;

export function find(predicate: Predicate, view: EventView): Found[] {
  switch (predicate.kind) {
    case 'term':
      return wordsThat(
        view,
        predicate.field,
        (text, start, end) => isTerm(predicate.term, text, start, end),
        MOST_FOUND,
      );
    case 'prefix':
    case 'wildcard':
    case 'regex':
    case 'fuzzy':
    case 'range': {
      const pattern = compilePattern(predicate);
      return wordsThat(view, predicate.field, (text, start, end) => pattern.test(text, start, end), MOST_FOUND);
    }
    case 'phrase':
      return findPhrases(predicate, view);
    case 'literal':
      return view.pieces
        .filter((piece) => piece.field === predicate.field)
        .flatMap((piece) => stretchesOf(predicate.text, piece))
        .filter((found) => isOwnWords(found, predicate.terms, view));
    case 'contains':
      return view.pieces
        .filter((piece) => piece.field === predicate.field)
        .flatMap((piece) => stretchesOf(predicate.text, piece));
    // What no text shows: that a field is there at all, numbers, places, times, chance.
    case 'exists':
    case 'number':
    case 'circle':
    case 'box':
    case 'sample':
    case 'recent':
    case 'upstream':
      return [];
  }
}

type FitsWord = (text: string, start: number, end: number) => boolean;

function wordsThat({ pieces, words }: EventView, field: string, fits: FitsWord, most = words.count): Word[] {
  const found: Word[] = [];
  for (let at = 0; at < words.count && found.length < most; at++) {
    const piece = pieces[words.pieces[at]!]!;
    if (piece.field !== field) continue;
    const start = words.starts[at]!;
    const end = words.ends[at]!;
    if (fits(piece.text, start, end)) found.push({ piece, start, end, position: words.positions[at]! });
  }
  return found;
}

const isTerm = (term: string, text: string, start: number, end: number): boolean =>
  end - start === term.length && text.startsWith(term, start);

function stretchesOf(text: string, piece: Piece): Found[] {
  const found: Found[] = [];
  for (let at = piece.text.indexOf(text); at >= 0 && found.length < MOST_FOUND; at = piece.text.indexOf(text, at + 1)) {
    found.push({ piece, start: at, end: at + text.length });
  }
  return found;
}

/** Whether the words that a stretch touches are these, and whole. */
function isOwnWords({ piece, start, end }: Found, terms: readonly string[], view: EventView): boolean {
  const { words } = view;
  const index = view.pieces.indexOf(piece);
  const first = firstWordBehind(view, index, start);
  let at = first;
  for (; at < words.count && words.pieces[at] === index && words.starts[at]! < end; at++) {
    if (words.starts[at]! < start || words.ends[at]! > end || at - first === terms.length) return false;
    if (!isTerm(terms[at - first]!, piece.text, words.starts[at]!, words.ends[at]!)) return false;
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
}

/**
 * Slides a window of `slop` over the field, in which each term has its first word; where one lies behind the window, the
 * window moves on to reach it, so nothing is tried twice.
 */
function findPhrases({ field, terms, slop }: Extract<Predicate, { kind: 'phrase' }>, view: EventView): Found[] {
  const slots = terms.flatMap((term, offset): Slot[] =>
    term === null ? [] : [{ term, offset, words: wordsThat(view, field, (...word) => isTerm(term, ...word)) }],
  );
  const found: Found[] = [];
  const next = slots.map(() => 0);
  for (let from = Number.NEGATIVE_INFINITY; found.length < MOST_FOUND; ) {
    const chosen = firstWords(slots, next, from);
    if (chosen === undefined || chosen.length === 0) break;
    const places = chosen.map((word, at) => word.position - slots[at]!.offset);
    const low = Math.min(...places);
    const high = Math.max(...places);
    if (high - low <= slop) found.push(...(slop === 0 ? asOne(chosen) : chosen));
    from = Math.max(low + 1, high - slop);
  }
  return found;
}

/** For each term its first word from a place on; equal terms take one word each. `next` moves along. */
function firstWords(slots: readonly Slot[], next: number[], from: number): Word[] | undefined {
  const taken = new Map<string, number>();
  const chosen: Word[] = [];
  for (const [index, { term, offset, words }] of slots.entries()) {
    let at = next[index]!;
    while (at < words.length && words[at]!.position - offset < from) at++;
    next[index] = at;
    at = Math.max(at, (taken.get(term) ?? -1) + 1);
    if (at >= words.length) return undefined;
    taken.set(term, at);
    chosen.push(words[at]!);
  }
  return chosen;
}

/** Words that stand together, as one stretch for each piece they are in. */
function asOne(words: readonly Word[]): Found[] {
  const found: Found[] = [];
  for (const piece of new Set(words.map((word) => word.piece))) {
    const inside = words.filter((word) => word.piece === piece);
    const start = Math.min(...inside.map((word) => word.start));
    found.push({ piece, start, end: Math.max(...inside.map((word) => word.end)) });
  }
  return found;
}
