/** Work under the same name never runs at the same time; it runs in the order in which it was requested. */
export interface NamedLocks {
  run<T>(name: string, work: () => Promise<T>): Promise<T>;
}

export function createNamedLocks(): NamedLocks {
  const last = new Map<string, Promise<unknown>>();
  return {
    async run(name, work) {
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
