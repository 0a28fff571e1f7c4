/** Things that are to happen at a virtual time, soonest first. Chance decides among those at the same time. */
export interface Timer {
  at: number;
  tie: number;
  readonly run: () => void;
  isCancelled: boolean;
}

export class Timers<T extends Timer> {
  readonly #heap: T[] = [];

  get first(): T | undefined {
    return this.#heap[0];
  }

  add(timer: T): void {
    const heap = this.#heap;
    let at = heap.push(timer) - 1;
    for (let parent = (at - 1) >> 1; at > 0 && isSooner(timer, heap[parent]!); parent = (at - 1) >> 1) {
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = timer;
  }

  /** Takes out every timer that is not wanted any more. */
  drop(isUnwanted: (timer: T) => boolean): T[] {
    const all = this.#heap.splice(0);
    for (const timer of all) if (!isUnwanted(timer)) this.add(timer);
    return all.filter(isUnwanted);
  }

  takeFirst(): T | undefined {
    const heap = this.#heap;
    const [taken, last] = [heap[0], heap.pop()];
    if (last === undefined || taken === last) return taken;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child + 1 < heap.length && isSooner(heap[child + 1]!, heap[child]!)) child++;
      if (child >= heap.length || !isSooner(heap[child]!, last)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = last;
    return taken;
  }
}

const isSooner = (one: Timer, other: Timer): boolean =>
  one.at - other.at < 0 || (one.at === other.at && one.tie < other.tie);
