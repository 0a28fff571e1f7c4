/**
 * The patterns of one field that rules are anchored on. They are found by the first characters that every fitting word begins
 * with, or by three characters that it must hold somewhere, so that an event's words meet only patterns that may fit.
 */
import type { EventView } from '../events/event-view.ts';
import type { Presence } from './presence.ts';
import type { SharedPredicate } from './shared-predicate.ts';

const LONGEST_PREFIX = 4;
const GRAM = 3;
const FILTER_BITS = 1 << 14;

/** What every match of a predicate must hold: a beginning, or something inside. Undefined when neither is long enough. */
export interface RequiredText {
  readonly at: 'start' | 'inside';
  readonly text: string;
}

export function requiredTextOf({ predicate, pattern }: SharedPredicate): RequiredText | undefined {
  if (predicate.kind === 'contains') return inside([predicate.text]);
  if (pattern === undefined) return undefined;
  // It is then found, evaluated and reported.
  if ('error' in pattern) return undefined;
  const within = inside(pattern.required);
  if (pattern.prefix.length >= GRAM || (pattern.prefix !== '' && within === undefined)) {
    return { at: 'start', text: pattern.prefix };
  }
  return within;
}

function inside(texts: readonly string[]): RequiredText | undefined {
  const longest = texts.reduce((best, text) => (text.length > best.length ? text : best), '');
  return longest.length < GRAM ? undefined : { at: 'inside', text: longest };
}

/** False ends the search. */
type Meet = (held: SharedPredicate) => boolean;

/** The patterns that are found by the same characters, and the search that met them last. */
interface Bucket {
  held: SharedPredicate[];
  metBy: number;
}

export class PatternIndex {
  size = 0;
  /** By the hash of the first 1, 2, 3, … characters. */
  readonly #prefixes = Array.from({ length: LONGEST_PREFIX + 1 }, () => new Map<number, Bucket>());
  readonly #grams = new Map<number, Bucket>();
  #search = 0;
  /** Most grams of a text are in no pattern: a bit each says so sooner than the map. */
  readonly #filter = new Int32Array(FILTER_BITS >>> 5);

  add(held: SharedPredicate): void {
    this.size++;
    const { map, key } = this.#placeOf(held);
    const bucket = map.get(key);
    if (bucket === undefined) map.set(key, { held: [held], metBy: 0 });
    else bucket.held.push(held);
    if (map === this.#grams) this.#filter[(key & (FILTER_BITS - 1)) >>> 5]! |= 1 << (key & 31);
  }

  /** A bit of the filter may stay set: it says "perhaps". */
  remove(held: SharedPredicate): void {
    this.size--;
    const { map, key } = this.#placeOf(held);
    const bucket = map.get(key)!;
    bucket.held = bucket.held.filter((other) => other !== held);
    if (bucket.held.length === 0) map.delete(key);
  }

  *all(): Iterable<SharedPredicate> {
    for (const { held } of this.#grams.values()) yield* held;
    for (const map of this.#prefixes) for (const { held } of map.values()) yield* held;
  }

  /** Calls `meet` once with every pattern that may fit. False when `meet` has ended it. */
  candidates(presence: Presence, field: string, meet: Meet): boolean {
    this.#search++;
    if (this.#grams.size > 0 && !this.#byGrams(presence.event, field, meet)) return false;
    const longest = this.#prefixes.findLastIndex((map) => map.size > 0);
    return longest <= 0 || this.#byPrefixes(presence, field, longest, meet);
  }

  #placeOf(held: SharedPredicate): { map: Map<number, Bucket>; key: number } {
    const { at, text } = requiredTextOf(held)!;
    if (at === 'inside') return { map: this.#grams, key: tellingGram(text) };
    const length = Math.min(text.length, LONGEST_PREFIX);
    let key = 0;
    for (let unit = 0; unit < length; unit++) key = step(key, text.charCodeAt(unit));
    return { map: this.#prefixes[length]!, key };
  }

  #byPrefixes(presence: Presence, field: string, longest: number, meet: Meet): boolean {
    const { words, pieces } = presence.event;
    const { repeats } = presence;
    for (let word = 0; word < words.count; word++) {
      const piece = pieces[words.pieces[word]!]!;
      if (repeats[word] === 1 || piece.field !== field) continue;
      const start = words.starts[word]!;
      const end = Math.min(words.ends[word]!, start + longest);
      let key = 0;
      for (let at = start; at < end; at++) {
        key = step(key, piece.text.charCodeAt(at));
        if (!this.#meets(this.#prefixes[at - start + 1]!.get(key), meet)) return false;
      }
    }
    return true;
  }

  /** Very many words may lead to the same patterns. */
  #meets(bucket: Bucket | undefined, meet: Meet): boolean {
    if (bucket === undefined || bucket.metBy === this.#search) return true;
    bucket.metBy = this.#search;
    return bucket.held.every(meet);
  }

  #byGrams({ pieces }: EventView, field: string, meet: Meet): boolean {
    for (const piece of pieces) {
      if (piece.field !== field) continue;
      const { text } = piece;
      let first = 0;
      let second = text.charCodeAt(0);
      let third = text.charCodeAt(1);
      for (let at = GRAM - 1; at < text.length; at++) {
        first = second;
        second = third;
        third = text.charCodeAt(at);
        const key = gramOf(first, second, third);
        if (((this.#filter[(key & (FILTER_BITS - 1)) >>> 5]! >>> (key & 31)) & 1) === 0) continue;
        if (!this.#meets(this.#grams.get(key), meet)) return false;
      }
    }
    return true;
  }
}

const step = (key: number, unit: number): number => Math.imul(key ^ unit, 0x01000193) + unit;

const gramOf = (first: number, second: number, third: number): number =>
  Math.imul(first, 0x2c1b3c6d) ^ Math.imul(second, 0x297a2d39) ^ Math.imul(third, 0x1b56c4e9);

/** Of the grams in a text the one with the most different characters: runs of one character are no sign of anything. */
function tellingGram(text: string): number {
  let best = 0;
  let variety = 0;
  for (let at = 0; at + GRAM <= text.length && variety < GRAM; at++) {
    const different = new Set(text.slice(at, at + GRAM)).size;
    if (different > variety) [best, variety] = [at, different];
  }
  return gramOf(text.charCodeAt(best), text.charCodeAt(best + 1), text.charCodeAt(best + 2));
}
