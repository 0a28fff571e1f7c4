/** Old matches in objects, in memory: what was asked of them is counted, and a test may break them. */
import { createColdRound } from '../../src/app/keep-cold.ts';
import type { Clock } from '../../src/base/clock.ts';
import type { ObjectStore } from '../../src/base/object-store.ts';
import type { ColdReader } from '../../src/store/db.ts';
import { createColdReader } from '../../src/store/rows/whole-rows.ts';
import type { Store } from '../../src/store/store.ts';

export interface MemoryObjects extends ObjectStore {
  readonly stored: Map<string, Uint8Array>;
  /** The keys that were fetched. */
  readonly fetched: string[];
}

export function memoryObjects(): MemoryObjects {
  const stored = new Map<string, Uint8Array>();
  const fetched: string[] = [];
  return {
    stored,
    fetched,
    put: async (key, bytes) => void stored.set(key, bytes),
    async get(key) {
      fetched.push(key);
      return stored.get(key);
    },
    remove: async (key) => void stored.delete(key),
  };
}

export const TEXT_KEY = Buffer.alloc(32, 7);

/** A reader that can be told to forget what it has read. */
export function coldOn(objects: ObjectStore): ColdReader & { forget(): void } {
  let reader = createColdReader(objects, TEXT_KEY);
  return {
    objects,
    textKey: TEXT_KEY,
    file: (object) => reader.file(object),
    payload: (object, position) => reader.payload(object, position),
    forget() {
      reader = createColdReader(objects, TEXT_KEY);
    },
  };
}

/** Moves all that is older than so many days, and deletes what nobody uses. Answers how many rounds that took. */
export async function makeCold(
  store: Store,
  objects: ObjectStore,
  clock: Clock,
  hotDays?: number,
  onProblem = (error: unknown): void => {
    throw error;
  },
): Promise<number> {
  const round = createColdRound({ store, objects, drafts: store, hotDays, clock }, onProblem);
  let rounds = 1;
  while (await round()) rounds++;
  await round();
  return rounds;
}
