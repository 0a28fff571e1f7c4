/**
 * Small integers by whole numbers of up to 53 bits, such as positions and marks. A `Map` keeps such a number as an object of
 * its own, and looks for it ten times as long.
 */
import { randomInt } from 'node:crypto';

const LEAST = 32;
const HIGH = 2 ** 32;
/** Writers of texts cannot know which of their marks share a place. */
const [LOW_FACTOR, HIGH_FACTOR] = [randomInt(2 ** 31) * 2 + 1, randomInt(2 ** 31) * 2 + 1];
/** Spreads numbers that follow each other, whatever the factors. */
const SPREAD = 0x9e3779b1;

export class NumberTable {
  #keys: Float64Array;
  /** 0 where the place is free. */
  #values: Int32Array;
  #shift: number;
  #size = 0;

  /** For so many numbers it need not be enlarged. */
  constructor(expected = 0) {
    const bits = Math.ceil(Math.log2(Math.max(LEAST, 2 * expected)));
    this.#keys = new Float64Array(2 ** bits);
    this.#values = new Int32Array(2 ** bits);
    this.#shift = 32 - bits;
  }

  /** 0 for none. */
  get(key: number): number {
    return this.#values[this.#placeOf(key)]!;
  }

  /** The value is not 0. */
  set(key: number, value: number): void {
    let place = this.#placeOf(key);
    if (this.#values[place] === 0) {
      if (2 * ++this.#size > this.#values.length) {
        this.#enlarge();
        place = this.#placeOf(key);
      }
      this.#keys[place] = key;
    }
    this.#values[place] = value;
  }

  /** Moves up the entries behind the place that becomes free, unless they stand where they belong. */
  delete(key: number): void {
    const keys = this.#keys;
    const values = this.#values;
    const mask = values.length - 1;
    let hole = this.#placeOf(key);
    if (values[hole] === 0) return;
    for (let at = (hole + 1) & mask; values[at] !== 0; at = (at + 1) & mask) {
      if (((at - this.#home(keys[at]!)) & mask) < ((at - hole) & mask)) continue;
      keys[hole] = keys[at]!;
      values[hole] = values[at]!;
      hole = at;
    }
    values[hole] = 0;
    this.#size--;
  }

  #home(key: number): number {
    const mixed = Math.imul(key, LOW_FACTOR) + Math.imul(key / HIGH, HIGH_FACTOR);
    return Math.imul(mixed ^ (mixed >>> 15), SPREAD) >>> this.#shift;
  }

  /** The place of the key, or the free place where it would be. */
  #placeOf(key: number): number {
    const keys = this.#keys;
    const values = this.#values;
    const mask = values.length - 1;
    let at = this.#home(key);
    while (values[at] !== 0 && keys[at] !== key) at = (at + 1) & mask;
    return at;
  }

  #enlarge(): void {
    const [keys, values] = [this.#keys, this.#values];
    this.#shift--;
    this.#keys = new Float64Array(2 * keys.length);
    this.#values = new Int32Array(2 * values.length);
    for (let at = 0; at < values.length; at++) {
      if (values[at] === 0) continue;
      const place = this.#placeOf(keys[at]!);
      this.#keys[place] = keys[at]!;
      this.#values[place] = values[at]!;
    }
  }
}
