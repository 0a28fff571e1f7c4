/** A value that components can watch: just what `useSyncExternalStore` needs. */
import { useSyncExternalStore } from 'react';

export interface Observable<Value> {
  get(): Value;
  set(value: Value): void;
  subscribe(listener: () => void): () => void;
}

export function observable<Value>(value: Value): Observable<Value> {
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return;
      value = next;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

export const useObservable = <Value>({ subscribe, get }: Pick<Observable<Value>, 'subscribe' | 'get'>): Value =>
  useSyncExternalStore(subscribe, get);
