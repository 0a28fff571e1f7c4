/**
 * Runs heavy work one piece at a time. Owners take turns, so an owner with much work delays itself, not the others. Each
 * owner may have only a few pieces waiting; more are refused at once.
 */
export interface FairQueue {
  /** Throws `QueueFullError` at once if the owner has too many pieces waiting. */
  run<T>(owner: string, work: () => Promise<T>): Promise<T>;
  /** How many pieces of all owners wait. */
  readonly waiting: number;
}

export class QueueFullError extends Error {}

type Start = () => void;

/** `maxWaiting`: how many pieces of one owner may wait while another piece runs. */
export function createFairQueue(maxWaiting: number): FairQueue {
  /** Owners with waiting work, the next one first. After its turn an owner goes to the end. */
  const owners = new Map<string, Start[]>();
  let isBusy = false;
  let waiting = 0;

  function wait(owner: string): Promise<void> {
    const starts = owners.get(owner) ?? [];
    if (starts.length >= maxWaiting) throw new QueueFullError('too much work is waiting');
    waiting++;
    owners.set(owner, starts);
    return new Promise((resolve) => void starts.push(resolve));
  }

  function startNext(): void {
    const [next] = owners;
    if (next === undefined) {
      isBusy = false;
      return;
    }
    const [owner, starts] = next;
    const start = starts.shift()!;
    owners.delete(owner);
    if (starts.length > 0) owners.set(owner, starts);
    waiting--;
    start();
  }

  return {
    async run(owner, work) {
      if (isBusy) await wait(owner);
      isBusy = true;
      try {
        return await work();
      } finally {
        startNext();
      }
    },
    get waiting() {
      return waiting;
    },
  };
}
