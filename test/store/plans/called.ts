/** Notes which methods of a store are called, so that one that is forgotten shows. */
import type { Store } from '../../../src/store/store.ts';

export function noting(store: Store): { store: Store; notCalled(): string[] } {
  const called = new Set<PropertyKey>();
  const noted = new Proxy(store, {
    get(target, name, receiver) {
      called.add(name);
      return Reflect.get(target, name, receiver);
    },
  });
  return { store: noted, notCalled: () => Object.keys(store).filter((name) => !called.has(name)) };
}
