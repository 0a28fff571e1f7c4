/** A cache of bounded weight. When it is full, it drops the least recently read entries first. */
export interface Lru<K, V> {
  get(key: K): V | undefined;
  /** An entry that alone weighs more than the limit is not kept. */
  set(key: K, value: V): void;
  delete(key: K): void;
  clear(): void;
  readonly weight: number;
  readonly size: number;
}

export interface LruOptions<V> {
  readonly limit: number;
  /** The weight of an entry; 1 by default. */
  weightOf?(value: V): number;
}

export function createLru<K, V>(options: LruOptions<V>): Lru<K, V> {
  const { limit, weightOf = () => 1 } = options;
  /** A `Map` keeps the order of insertion, so its first key is the least recently read one. */
  const entries = new Map<K, V>();
  let weight = 0;
  /** Stays where the last entry was dropped: a new iterator would pass over the places of all that were dropped before. */
  let oldest = entries.keys();

  function remove(key: K): void {
    const value = entries.get(key);
    if (value === undefined) return;
    entries.delete(key);
    weight -= weightOf(value);
  }

  function dropOldest(): void {
    let next = oldest.next();
    if (next.done) {
      oldest = entries.keys();
      next = oldest.next();
    }
    if (!next.done) remove(next.value);
  }

  return {
    get(key) {
      const value = entries.get(key);
      if (value === undefined) return undefined;
      entries.delete(key);
      entries.set(key, value);
      return value;
    },
    set(key, value) {
      remove(key);
      const added = weightOf(value);
      if (added > limit) return;
      entries.set(key, value);
      weight += added;
      while (weight > limit) dropOldest();
    },
    delete: remove,
    clear() {
      entries.clear();
      weight = 0;
    },
    get weight() {
      return weight;
    },
    get size() {
      return entries.size;
    },
  };
}
