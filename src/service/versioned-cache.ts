/**
 * What was read from the store, kept for as long as nothing in the store changes: whoever asks the same again and again
 * costs next to nothing meanwhile. The first change, by whomever, empties it.
 */
export interface Kept<Value> {
  /** What is kept under this name, or what `make` answers now; a failure is not kept. */
  of(name: string, make: () => Promise<Value>): Promise<Value>;
}

export interface KeptLimit<Value> {
  readonly most: number;
  /** What one value takes of it; none are kept beyond. */
  weigh(value: Value): number;
}

export function createKept<Value>(version: () => Promise<string>, { most, weigh }: KeptLimit<Value>): Kept<Value> {
  const kept = new Map<string, Value>();
  let keptAt: string | undefined;
  let weight = 0;
  return {
    async of(name, make) {
      // Asked before the value is made: one that is newer than its version is thrown away at the next question.
      const now = await version();
      if (now !== keptAt) {
        kept.clear();
        [keptAt, weight] = [now, 0];
      }
      const found = kept.get(name);
      if (found !== undefined) return found;
      const value = await make();
      const added = weigh(value);
      if (now === keptAt && weight + added <= most) {
        weight += added;
        kept.set(name, value);
      }
      return value;
    },
  };
}
