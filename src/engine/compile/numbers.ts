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
