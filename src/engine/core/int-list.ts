const PAGE_BITS = 14;
const PAGE = 1 << PAGE_BITS;

/** A list of integers that grows without being copied. */
export class IntList {
  readonly #pages: Int32Array[] = [];

  at(index: number): number {
    return this.#pages[index >>> PAGE_BITS]![index & (PAGE - 1)]!;
  }

  set(index: number, value: number): void {
    const page = index >>> PAGE_BITS;
    this.#pages[page] ??= new Int32Array(PAGE);
    this.#pages[page][index & (PAGE - 1)] = value;
  }

  get bytes(): number {
    return this.#pages.length * PAGE * 4;
  }

  /** The first `end` of them. */
  toArray(end: number): Int32Array<ArrayBuffer> {
    const all = new Int32Array(end);
    for (let from = 0; from < end; from += PAGE)
      all.set(this.#pages[from >>> PAGE_BITS]!.subarray(0, end - from), from);
    return all;
  }

  restore(values: Int32Array): void {
    for (let from = 0; from < values.length; from += PAGE) {
      const page = new Int32Array(PAGE);
      page.set(values.subarray(from, from + PAGE));
      this.#pages[from >>> PAGE_BITS] = page;
    }
  }
}
