/**
 * The patterns of one field that rules are anchored on. They are found by the first characters that every fitting word begins
 * with, or by three characters that it must hold somewhere, so that an event's words meet only patterns that may fit.
 */
import type { EventView } from '../events/event-view.ts';
import type { ViewLookup } from '../one-rule/view-lookup.ts';
import type { SharedPredicate } from './shared-predicate.ts';

const LONGEST_PREFIX = 4;
const GRAM = 3;
const FILTER_BITS = 1 << 14;

/** Every match of a predicate must hold this text: at its beginning, or somewhere inside. */
export interface RequiredText {
  readonly at: 'start' | 'inside';
  readonly text: string;
}

/** Answers undefined when neither the beginning nor anything inside is long enough. */
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

/** Characters, or words, that are read between two yields. */
const PART = 8_192;

type OnPatterns = (held: readonly SharedPredicate[]) => void;

export class PatternIndex {
  size = 0;
  /** By the hash of the first 1, 2, 3, … characters. */
  readonly #prefixes = Array.from({ length: LONGEST_PREFIX + 1 }, () => new Map<number, SharedPredicate[]>());
  readonly #grams = new Map<number, SharedPredicate[]>();
  /** Most grams of a text are in no pattern: a bit each says so sooner than the map. */
  readonly #filter = new Int32Array(FILTER_BITS >>> 5);

  add(held: SharedPredicate): void {
    this.size++;
    const { map, key } = this.#placeOf(held);
    map.set(key, [...(map.get(key) ?? []), held]);
    if (map === this.#grams) this.#filter[(key & (FILTER_BITS - 1)) >>> 5]! |= 1 << (key & 31);
  }

  /** A bit of the filter may stay set: it says "perhaps". */
  remove(held: SharedPredicate): void {
    this.size--;
    const { map, key } = this.#placeOf(held);
    const others = map.get(key)!.filter((other) => other !== held);
    if (others.length === 0) map.delete(key);
    else map.set(key, others);
  }

  *all(): Iterable<SharedPredicate> {
    for (const map of [this.#grams, ...this.#prefixes]) for (const held of map.values()) yield* held;
  }

  /** Calls `meet` once with every pattern that may fit. Yields how much it read. */
  *candidates(lookup: ViewLookup, field: string, meet: (held: SharedPredicate) => void): Generator<number, void> {
    // Many words may lead to the same patterns.
    const met = new Set<readonly SharedPredicate[]>();
    const onPatterns: OnPatterns = (held) => {
      if (met.has(held)) return;
      met.add(held);
      held.forEach(meet);
    };
    for (const { field: name, text } of this.#grams.size > 0 ? lookup.view.pieces : []) {
      for (let from = 0; name === field && from < text.length; from += PART) {
        this.#byGrams(text, from, Math.min(from + PART, text.length), onPatterns);
        yield PART;
      }
    }
    if (this.#longest <= 0) return;
    const places = lookup.words.inField(field);
    for (let from = 0; from < places.length; from += PART) {
      this.#byPrefixes(lookup.view, places.slice(from, from + PART), onPatterns);
      yield PART;
    }
  }

  /** The length of the longest beginnings. */
  get #longest(): number {
    return this.#prefixes.findLastIndex((map) => map.size > 0);
  }

  #placeOf(held: SharedPredicate): { map: Map<number, SharedPredicate[]>; key: number } {
    const { at, text } = requiredTextOf(held)!;
    if (at === 'inside') return { map: this.#grams, key: tellingGram(text) };
    const length = Math.min(text.length, LONGEST_PREFIX);
    let key = 0;
    for (let unit = 0; unit < length; unit++) key = step(key, text.charCodeAt(unit));
    return { map: this.#prefixes[length]!, key };
  }

  #byPrefixes({ words, pieces }: EventView, places: readonly number[], onPatterns: OnPatterns): void {
    const longest = this.#longest;
    for (const place of places) {
      const { text } = pieces[words.pieces[place]!]!;
      const start = words.starts[place]!;
      const end = Math.min(words.ends[place]!, start + longest);
      let key = 0;
      for (let at = start; at < end; at++) {
        key = step(key, text.charCodeAt(at));
        const held = this.#prefixes[at - start + 1]!.get(key);
        if (held !== undefined) onPatterns(held);
      }
    }
  }

  /** The grams that end in this part of a text. */
  #byGrams(text: string, from: number, to: number, onPatterns: OnPatterns): void {
    const start = Math.max(from, GRAM - 1);
    let first = 0;
    let second = text.charCodeAt(start - 2);
    let third = text.charCodeAt(start - 1);
    for (let at = start; at < to; at++) {
      first = second;
      second = third;
      third = text.charCodeAt(at);
      const key = gramOf(first, second, third);
      if (((this.#filter[(key & (FILTER_BITS - 1)) >>> 5]! >>> (key & 31)) & 1) === 0) continue;
      const held = this.#grams.get(key);
      if (held !== undefined) onPatterns(held);
    }
  }
}

const step = (key: number, unit: number): number => Math.imul(key ^ unit, 0x01000193) + unit;

const gramOf = (first: number, second: number, third: number): number =>
  Math.imul(first, 0x2c1b3c6d) ^ Math.imul(second, 0x297a2d39) ^ Math.imul(third, 0x1b56c4e9);

/** Chooses the gram with the most different characters of a text: runs of one character are no sign of anything. */
function tellingGram(text: string): number {
  let best = 0;
  let variety = 0;
  for (let at = 0; at + GRAM <= text.length && variety < GRAM; at++) {
    const different = new Set(text.slice(at, at + GRAM)).size;
    if (different > variety) [best, variety] = [at, different];
  }
  return gramOf(text.charCodeAt(best), text.charCodeAt(best + 1), text.charCodeAt(best + 2));
}
