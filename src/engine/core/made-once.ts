/** A table that takes long to make: in steps ahead of its first use, or what is left of it at once when it is needed earlier. */
export interface MadeOnce<T> {
  get(): T;
  /** Yields how much work each step was. */
  ahead(): Generator<number, void>;
}

export function madeOnce<T>(make: () => Generator<number, T>): MadeOnce<T> {
  let making: Generator<number, T> | undefined;
  let made: { readonly value: T } | undefined;
  function* ahead(): Generator<number, void> {
    while (made === undefined) {
      making ??= make();
      const step = making.next();
      if (step.done === true) made = { value: step.value };
      else yield step.value;
    }
  }
  return {
    get() {
      const rest = ahead();
      while (rest.next().done !== true);
      return made!.value;
    },
    ahead,
  };
}
