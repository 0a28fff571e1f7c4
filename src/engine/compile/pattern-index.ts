/**
 * The patterns of one field that rules are anchored on. They are found by the first characters that every fitting word begins
 * with, or by three to eight characters that it must hold somewhere, so that an event's words meet few patterns that do not fit.
 */
import type { ViewLookup } from '../one-rule/view-lookup.ts';
import type { SharedPredicate } from './shared-predicate.ts';

const GRAM = 3;
/** Characters of a required text that patterns are found by, at most: of more there would be more to look up at each place of a text. */
const LONGEST = 8;
const FILTER_BITS = 1 << 18;

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
  readonly #prefixes = new TextMap();
  /** By the hash of that many characters inside. */
  readonly #insides = new TextMap();

  add(held: SharedPredicate): void {
    this.size++;
    const { map, text } = this.#placeOf(held);
    map.add(text, held);
  }

  remove(held: SharedPredicate): void {
    this.size--;
    const { map, text } = this.#placeOf(held);
    map.remove(text, held);
  }

  *all(): Iterable<SharedPredicate> {
    yield* this.#insides.all();
    yield* this.#prefixes.all();
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
    for (const { field: name, text } of this.#insides.size > 0 ? lookup.view.pieces : []) {
      for (let from = 0; name === field && from < text.length; from += PART) {
        const to = Math.min(from + PART, text.length);
        for (let at = from; at < to; at++) this.#insides.at(text, at, text.length, onPatterns);
        yield PART;
      }
    }
    if (this.#prefixes.size === 0) return;
    const places = lookup.words.inField(field);
    const { words, pieces } = lookup.view;
    for (let from = 0; from < places.length; from += PART) {
      for (const place of places.slice(from, from + PART)) {
        const { text } = pieces[words.pieces[place]!]!;
        this.#prefixes.at(text, words.starts[place]!, words.ends[place]!, onPatterns);
      }
      yield PART;
    }
  }

  #placeOf(held: SharedPredicate): { map: TextMap; text: string } {
    const { at, text } = requiredTextOf(held)!;
    if (at === 'start') return { map: this.#prefixes, text: text.slice(0, LONGEST) };
    const start = tellingGram(text);
    return { map: this.#insides, text: text.slice(start, start + LONGEST) };
  }
}

/** Patterns by the hash of a text of up to `LONGEST` characters. Another text of the same hash leads to patterns that do not fit. */
class TextMap {
  size = 0;
  readonly #byHash = new Map<number, SharedPredicate[]>();
  /** How many patterns have a text of each length. */
  readonly #lengths = new Int32Array(LONGEST + 1);
  /** Most places of a text lead to no pattern: a bit says so sooner than the map. It may stay set: it says "perhaps". */
  readonly #filter = new Int32Array(FILTER_BITS >>> 5);

  add(text: string, held: SharedPredicate): void {
    const key = hashOf(text);
    this.#byHash.set(key, [...(this.#byHash.get(key) ?? []), held]);
    this.#filter[filterPlace(key)]! |= 1 << (key & 31);
    this.#lengths[text.length]!++;
    this.size++;
  }

  remove(text: string, held: SharedPredicate): void {
    const key = hashOf(text);
    const others = this.#byHash.get(key)!.filter((other) => other !== held);
    if (others.length === 0) this.#byHash.delete(key);
    else this.#byHash.set(key, others);
    this.#lengths[text.length]!--;
    this.size--;
  }

  *all(): Iterable<SharedPredicate> {
    for (const held of this.#byHash.values()) yield* held;
  }

  /** The patterns whose texts stand at a place and end before another. */
  at(text: string, start: number, end: number, onPatterns: OnPatterns): void {
    const last = Math.min(end, start + LONGEST);
    let key = 0;
    for (let at = start; at < last; at++) {
      key = step(key, text.charCodeAt(at));
      if (this.#lengths[at - start + 1] === 0 || ((this.#filter[filterPlace(key)]! >>> (key & 31)) & 1) === 0) continue;
      const held = this.#byHash.get(key);
      if (held !== undefined) onPatterns(held);
    }
  }
}

const filterPlace = (key: number): number => (key & (FILTER_BITS - 1)) >>> 5;

function hashOf(text: string): number {
  let key = 0;
  for (let at = 0; at < text.length; at++) key = step(key, text.charCodeAt(at));
  return key;
}

/** Mixes a character into the key of those before it, and the last bits, which the filter goes by, with the first. */
function step(key: number, unit: number): number {
  const mixed = Math.imul(key ^ unit, 0x01000193) + unit;
  return mixed ^ (mixed >>> 15);
}

/** Chooses where the three characters with the most different ones begin: runs of one character are no sign of anything. */
function tellingGram(text: string): number {
  let best = 0;
  let variety = 0;
  for (let at = 0; at + GRAM <= text.length && variety < GRAM; at++) {
    const different = new Set(text.slice(at, at + GRAM)).size;
    if (different > variety) [best, variety] = [at, different];
  }
  return best;
}
