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

interface Entry<K, V> {
  readonly key: K;
  readonly value: V;
  older: Entry<K, V> | undefined;
  newer: Entry<K, V> | undefined;
}

/**
 * The entries are a list, oldest first. The order of a `Map` would do as well, but an iterator that remembers its first key keeps
 * all that the map ever held.
 */
export function createLru<K, V>(options: LruOptions<V>): Lru<K, V> {
  const { limit, weightOf = () => 1 } = options;
  const entries = new Map<K, Entry<K, V>>();
  let oldest: Entry<K, V> | undefined;
  let newest: Entry<K, V> | undefined;
  let weight = 0;

  function append(entry: Entry<K, V>): void {
    entry.older = newest;
    entry.newer = undefined;
    if (newest === undefined) oldest = entry;
    else newest.newer = entry;
    newest = entry;
  }

  function unlink({ older, newer }: Entry<K, V>): void {
    if (older === undefined) oldest = newer;
    else older.newer = newer;
    if (newer === undefined) newest = older;
    else newer.older = older;
  }

  function remove(key: K): void {
    const entry = entries.get(key);
    if (entry === undefined) return;
    entries.delete(key);
    unlink(entry);
    weight -= weightOf(entry.value);
  }

  return {
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      if (entry !== newest) {
        unlink(entry);
        append(entry);
      }
      return entry.value;
    },
    set(key, value) {
      remove(key);
      const added = weightOf(value);
      if (added > limit) return;
      const entry = { key, value, older: undefined, newer: undefined };
      entries.set(key, entry);
      append(entry);
      weight += added;
      while (weight > limit) remove(oldest!.key);
    },
    delete: remove,
    clear() {
      entries.clear();
      [oldest, newest] = [undefined, undefined];
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
