/** The fields that rules and events name, as small integers. A field lives as long as a rule uses it or an event has it. */
import { Numbers } from './arena.ts';
import type { PatternIndex } from './pattern-index.ts';

export interface Field {
  readonly name: string;
  readonly number: number;
  /** Hashes of the field's terms start here. */
  readonly seed: number;
  /** Terms and predicates of rules that name the field. */
  uses: number;
  isInEvents: boolean;
  /** The patterns that are anchors here. */
  patterns: PatternIndex | undefined;
}

export class Fields {
  readonly #byName = new Map<string, Field>();
  readonly #byNumber: Field[] = [];
  readonly #numbers = new Numbers();
  readonly #seed: number;

  constructor(seed: number) {
    this.#seed = seed;
  }

  use(name: string): Field {
    const field = this.#get(name);
    field.uses++;
    return field;
  }

  release(field: Field): void {
    if (--field.uses > 0 || field.isInEvents) return;
    this.#byName.delete(field.name);
    this.#numbers.give(field.number);
  }

  inEvent(name: string): Field {
    const field = this.#get(name);
    field.isInEvents = true;
    return field;
  }

  at(number: number): Field {
    return this.#byNumber[number]!;
  }

  #get(name: string): Field {
    const known = this.#byName.get(name);
    if (known !== undefined) return known;
    const number = this.#numbers.take();
    const seed = Math.imul(this.#seed ^ (number + 1), 0x9e3779b1);
    const field = { name, number, seed, uses: 0, isInEvents: false, patterns: undefined };
    this.#byName.set(name, field);
    this.#byNumber[number] = field;
    return field;
  }
}
