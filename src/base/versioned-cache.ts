/**
 * A cache of store reads. A change of what they read, by any process, changes the version, and that empties the cache. Callers
 * that ask for the same name at the same time share one read.
 */
import { createLru } from './lru.ts';

export interface VersionedCache<Value> {
  /** The cached value of this name, or what `make` answers now. A failure is not cached. */
  get(name: string, make: () => Promise<Value>): Promise<Value>;
  /** The cached value of this name, of the version that was seen last. */
  known(name: string): Value | undefined;
}

export interface VersionedCacheOptions<Value> {
  readonly limit: number;
  /** The weight of a value against the limit; a value that weighs more than the limit is not cached. */
  weightOf(value: Value): number;
}

export function createVersionedCache<Value>(
  version: () => Promise<string>,
  { limit, weightOf }: VersionedCacheOptions<Value>,
): VersionedCache<Value> {
  const cached = createLru<string, { readonly value: Value }>({ limit, weightOf: ({ value }) => weightOf(value) });
  /** The reads of this version that have not ended. A new version starts a new map. */
  let reading = new Map<string, Promise<Value>>();
  let cachedVersion: string | undefined;
  const versionNow = sharedRead(version);

  function read(name: string, make: () => Promise<Value>): Promise<Value> {
    const ofVersion = reading;
    const ending = make()
      .then((value) => {
        // A value that was read before a change may be older than the version that is cached by now.
        if (ofVersion === reading) cached.set(name, { value });
        return value;
      })
      .finally(() => ofVersion.delete(name));
    ofVersion.set(name, ending);
    return ending;
  }

  return {
    known: (name) => cached.get(name)?.value,
    async get(name, make) {
      // Asked before the value is read: a value that is newer than its version is only dropped too early.
      const now = await versionNow();
      if (now !== cachedVersion) {
        cached.clear();
        reading = new Map();
        cachedVersion = now;
      }
      return cached.get(name)?.value ?? reading.get(name) ?? read(name, make);
    },
  };
}

/**
 * Whoever asks while a read is under way gets the answer of the next one, with all others that wait for it: an answer was never read
 * before its caller asked.
 */
function sharedRead<Value>(read: () => Promise<Value>): () => Promise<Value> {
  let running: Promise<Value> | undefined;
  let next: Promise<Value> | undefined;
  async function begin(): Promise<Value> {
    next = undefined;
    const own = read();
    running = own;
    try {
      return await own;
    } finally {
      if (running === own) running = undefined;
    }
  }
  return () => {
    if (running === undefined) return begin();
    next ??= running.then(begin, begin);
    return next;
  };
}
