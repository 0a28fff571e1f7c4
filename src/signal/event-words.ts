/** The words of one event, to be found by a story that has hundreds. */
import { randomInt } from 'node:crypto';

const LEAST = 128;
/** Writers of texts cannot know which words share a place. */
const MULTIPLIER = randomInt(2 ** 31) * 2 + 1;

export class EventWords {
  #keys = new Int32Array(LEAST);
  /** The state of the word at the place; 0 when the place is free. */
  #states = new Uint8Array(LEAST);
  #shift = 32 - Math.log2(LEAST);

  /** Forgets the words of the event before. */
  read(words: readonly number[]): void {
    if (4 * words.length > this.#keys.length) this.#enlarge(4 * words.length);
    else this.#states.fill(0);
    const keys = this.#keys;
    const states = this.#states;
    for (let index = 0; index < words.length; index++) {
      const place = this.#placeOf(words[index]!);
      keys[place] = words[index]!;
      states[place] = LEFT;
    }
  }

  /** Whether the event has the word and nobody took it yet. */
  take(word: number): boolean {
    const place = this.#placeOf(word);
    if (this.#states[place] !== LEFT) return false;
    this.#states[place] = TAKEN;
    return true;
  }

  #placeOf(word: number): number {
    const keys = this.#keys;
    const states = this.#states;
    const mask = keys.length - 1;
    let at = Math.imul(word, MULTIPLIER) >>> this.#shift;
    while (states[at] !== 0 && keys[at] !== word) at = (at + 1) & mask;
    return at;
  }

  #enlarge(least: number): void {
    const bits = Math.ceil(Math.log2(least));
    this.#shift = 32 - bits;
    this.#keys = new Int32Array(2 ** bits);
    this.#states = new Uint8Array(2 ** bits);
  }
}

const [LEFT, TAKEN] = [1, 2];
