/**
 * How often each term turns up, whether or not a rule uses it yet: one small counter per hash, so that a rule put later
 * finds its words already counted. Hashes that share a counter make a rare term look common at worst, which costs a
 * little speed and nothing else. Counts are halved now and then, so that the past fades.
 */
const COUNTERS = 1 << 17;
/** Halving at this many events keeps every counter within 16 bits. */
const FADE_AT = 60_000;
/** After `CLEAR_AT` events it is enough to count one event in `ONE_IN`. */
const CLEAR_AT = 4096;
const ONE_IN = 16;
/** The weight of the guess made before anything was seen, in events. */
const GUESS_WEIGHT = 16;

export class Frequency {
  readonly #counts = new Uint16Array(COUNTERS);
  #events = 0;
  #skipped = 0;

  /** Whether this event is one to count; if so, `count` each of its distinct terms. */
  begin(): boolean {
    if (this.#events >= CLEAR_AT && ++this.#skipped < ONE_IN) return false;
    this.#skipped = 0;
    if (++this.#events >= FADE_AT) this.#fade();
    return true;
  }

  count(hash: number): void {
    const at = hash & (COUNTERS - 1);
    if (this.#counts[at]! < 0xffff) this.#counts[at]!++;
  }

  /** The share of events that hold a term, by what was seen and, as long as that is little, by `guess`. */
  share(hash: number, guess: number): number {
    return shareOf(this.#counts[hash & (COUNTERS - 1)]!, this.#events, guess);
  }

  get bytes(): number {
    return this.#counts.byteLength;
  }

  #fade(): void {
    for (let at = 0; at < COUNTERS; at++) this.#counts[at]! >>= 1;
    this.#events >>= 1;
  }
}

export const shareOf = (seen: number, events: number, guess: number): number =>
  Math.min(1, (seen + guess * GUESS_WEIGHT) / (events + GUESS_WEIGHT));

/** Short words are common ones, until something better is known. */
export const guessShare = (length: number): number => 0.2 / (length * length + 1);
