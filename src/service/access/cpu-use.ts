/** The CPU that callers have cost. The interface that admits requests listens, and charges their limits. */
import type { Caller } from './caller.ts';

/** `turn`: in a compute thread. `push`: in the thread that takes events in, where bytes are limited instead of requests. */
type Spent = 'turn' | 'push';
type Listener = (caller: Caller, milliseconds: number, by: Spent) => void;

export interface CpuUse {
  note(caller: Caller, milliseconds: number, by?: Spent): void;
  listen(listener: Listener): void;
}

export function createCpuUse(): CpuUse {
  const listeners: Listener[] = [];
  return {
    note(caller, milliseconds, by = 'turn') {
      for (const listener of listeners) listener(caller, milliseconds, by);
    },
    listen: (listener) => void listeners.push(listener),
  };
}
