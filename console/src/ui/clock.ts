import { observable } from '../data/observable.ts';

/** One timer serves all times on the page; without any it stops. */
const TICK = 10_000;

/** How far the clock of the server is ahead of this device's. Less than a minute is the way of an answer, and no fault. */
const LEAST = 60_000;
export const ahead = observable(0);

/** Each answer of the server says what time it was there. */
export function noteServerTime(date: string | null): void {
  const off = Date.parse(date ?? '') - Date.now();
  if (Number.isNaN(off)) return;
  const shown = Math.abs(off) < LEAST ? 0 : Math.round(off / LEAST) * LEAST;
  if (shown === ahead.get()) return;
  ahead.set(shown);
  tick();
}

let now = Date.now();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

export const clock = {
  get: () => now,
  subscribe(listener: () => void) {
    listeners.add(listener);
    if (timer === undefined) {
      // The clock stood while no time was shown.
      timer = setInterval(tick, TICK);
      tick();
    }
    return () => {
      listeners.delete(listener);
      if (listeners.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    };
  },
};

function tick(): void {
  now = Date.now() + ahead.get();
  for (const listener of listeners) listener();
}
