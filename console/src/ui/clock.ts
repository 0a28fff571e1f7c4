/** One timer serves all times on the page; without any it stops. */
const TICK = 10_000;

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
  now = Date.now();
  for (const listener of listeners) listener();
}
