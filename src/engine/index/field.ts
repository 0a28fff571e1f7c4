/** The fields that rules and events name, as small integers. A field stays while a rule uses it or an event has had it. */
import { Numbers } from './arena.ts';
import { type KeyField, markOf, packedLength } from './word-key.ts';

export interface TermField extends KeyField {
  readonly name: string;
  readonly number: number;
  /** Terms and predicates of rules that name the field. */
  uses: number;
  isInEvents: boolean;
}

export class Fields {
  readonly #byName = new Map<string, TermField>();
  readonly #byNumber: TermField[] = [];
  readonly #numbers = new Numbers();
  readonly #seed: number;

  constructor(seed: number) {
    this.#seed = seed;
  }

  use(name: string): TermField {
    const field = this.#get(name);
    field.uses++;
    return field;
  }

  release(field: TermField): void {
    if (--field.uses > 0 || field.isInEvents) return;
    this.#byName.delete(field.name);
    this.#numbers.give(field.number);
  }

  inEvent(name: string): TermField {
    const field = this.#get(name);
    field.isInEvents = true;
    return field;
  }

  at(number: number): TermField {
    return this.#byNumber[number]!;
  }

  #get(name: string): TermField {
    return this.#byName.get(name) ?? this.#add(name);
  }

  #add(name: string): TermField {
    const number = this.#numbers.take();
    const field: TermField = {
      name,
      number,
      firstMark: markOf(number),
      secondMark: markOf(number >>> 4),
      seed: Math.imul(this.#seed ^ (number + 1), 0x9e3779b1),
      packed: packedLength(number),
      uses: 0,
      isInEvents: false,
    };
    this.#byName.set(name, field);
    this.#byNumber[number] = field;
    return field;
  }
}
