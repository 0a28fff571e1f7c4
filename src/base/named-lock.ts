/** Work with the same name never runs at the same time; it runs in the order in which it was requested. */
export interface Turns {
  inTurn<T>(name: string, work: () => Promise<T>): Promise<T>;
}

export function createTurns(): Turns {
  const last = new Map<string, Promise<unknown>>();
  return {
    async inTurn(name, work) {
      const before = last.get(name);
      const mine = before === undefined ? work() : before.then(work, work);
      last.set(name, mine);
      try {
        return await mine;
      } finally {
        if (last.get(name) === mine) last.delete(name);
      }
    },
  };
}
