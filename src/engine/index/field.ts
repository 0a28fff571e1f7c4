/** The fields that rules and events name, as small integers. A field lives as long as a rule uses it or an event has it. */
import { Numbers } from './arena.ts';
import type { PatternIndex } from './pattern-index.ts';
import { markOf, packedLength } from './word-key.ts';

export interface Field {
  readonly name: string;
  readonly number: number;
  /** What the field adds to the keys of its words. */
  readonly firstMark: number;
  readonly secondMark: number;
  readonly seed: number;
  /** Up to how many characters its words are their own keys. */
  readonly packed: number;
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
    return this.#byName.get(name) ?? this.#add(name);
  }

  #add(name: string): Field {
    const number = this.#numbers.take();
    const field: Field = {
      name,
      number,
      firstMark: markOf(number),
      secondMark: markOf(number >>> 4),
      seed: Math.imul(this.#seed ^ (number + 1), 0x9e3779b1),
      packed: packedLength(number),
      uses: 0,
      isInEvents: false,
      patterns: undefined,
    };
    this.#byName.set(name, field);
    this.#byNumber[number] = field;
    return field;
  }
}
