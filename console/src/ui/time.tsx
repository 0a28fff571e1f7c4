/** A relative time such as "5m ago"; the exact time, in the reader's zone, shows on hover. */
import { useObservable } from '../data/observable.ts';
import { ago, exactly } from './moment.ts';

const TICK = 10_000;

let now = Date.now();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** One timer serves all times on the page; without any it stops. */
const clock = {
  get: () => now,
  subscribe(listener: () => void) {
    listeners.add(listener);
    timer ??= setInterval(tick, TICK);
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

export function Time({ at, className }: { at: string; className?: string }) {
  const ticked = useObservable(clock);
  const ahead = Date.parse(at) - ticked;
  // A time slightly after the last tick is still in the past; one further ahead is in the future.
  const reference = ahead > 0 && ahead < TICK ? Date.parse(at) : ticked;
  return (
    <time dateTime={at} title={exactly(at)} className={className}>
      {ago(at, reference)}
    </time>
  );
}
