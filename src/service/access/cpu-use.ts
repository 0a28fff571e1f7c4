/** What compute threads have spent on callers. The interface that admits requests listens, and charges their limits. */
import type { Caller } from './caller.ts';

type Listener = (caller: Caller, milliseconds: number) => void;

export interface CpuUse {
  note: Listener;
  listen(listener: Listener): void;
}

export function createCpuUse(): CpuUse {
  const listeners: Listener[] = [];
  return {
    note(caller, milliseconds) {
      for (const listener of listeners) listener(caller, milliseconds);
    },
    listen: (listener) => void listeners.push(listener),
  };
}
