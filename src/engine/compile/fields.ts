/** The fields that rules and events name, as small integers. A field stays while a rule uses it or an event has had it. */

/** Hands out numbers, those given back first. */
export class Numbers {
  /** One more than the largest number in use. */
  end: number;
  readonly #first: number;
  #free: number[] = [];

  constructor(first = 0) {
    this.#first = first;
    this.end = first;
  }

  take(): number {
    return this.#free.pop() ?? this.end++;
  }

  give(number: number): void {
    this.#free.push(number);
    if (this.inUse > 0) return;
    this.end = this.#first;
    this.#free = [];
  }

  get inUse(): number {
    return this.end - this.#first - this.#free.length;
  }

  /** From now on those below `end` are in use of which `isUsed` says so. */
  restore(end: number, isUsed: (number: number) => boolean): void {
    this.end = end;
    this.#free = [];
    for (let number = end - 1; number >= this.#first; number--) if (!isUsed(number)) this.#free.push(number);
  }
}

export interface TermField {
  readonly name: string;
  readonly number: number;
  /** Terms and predicates of rules that name the field. */
  uses: number;
  isInEvents: boolean;
}

/** A field as it is kept: with its number. */
export type SavedField = Pick<TermField, 'name' | 'number' | 'uses' | 'isInEvents'>;

export class Fields {
  readonly #byName = new Map<string, TermField>();
  readonly #byNumber: TermField[] = [];
  readonly #numbers = new Numbers();

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

  save(): SavedField[] {
    return Array.from(this.#byName.values(), ({ name, number, uses, isInEvents }) => ({
      name,
      number,
      uses,
      isInEvents,
    }));
  }

  /** The fields that are here already must be among those that were saved, under the same numbers. */
  restore(saved: readonly SavedField[]): void {
    for (const [name, { number }] of this.#byName)
      if (!saved.some((field) => field.name === name && field.number === number))
        throw new Error(`the field ${name} has another number`);
    for (const { name, number, uses, isInEvents } of saved) {
      const field = this.#byName.get(name) ?? this.#addAs(name, number);
      field.uses = uses;
      field.isInEvents = isInEvents;
    }
    const used = new Set(saved.map(({ number }) => number));
    this.#numbers.restore(Math.max(-1, ...used) + 1, (number) => used.has(number));
  }

  #get(name: string): TermField {
    return this.#byName.get(name) ?? this.#addAs(name, this.#numbers.take());
  }

  #addAs(name: string, number: number): TermField {
    const field: TermField = { name, number, uses: 0, isInEvents: false };
    this.#byName.set(name, field);
    this.#byNumber[number] = field;
    return field;
  }
}
