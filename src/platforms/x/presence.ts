/** Whether X answered our last call: who waits for something else is woken when X is back after an outage. */
export interface Presence {
  /** A call was answered, or not. */
  note(isThere: boolean): void;
  /** Aborts with the first answer after a call that had none. */
  readonly returned: AbortSignal;
}

export function createPresence(): Presence {
  let isAway = false;
  let waiting = new AbortController();
  return {
    note(isThere) {
      if (isThere && isAway) {
        waiting.abort('returned');
        waiting = new AbortController();
      }
      isAway = !isThere;
    },
    get returned() {
      return waiting.signal;
    },
  };
}
