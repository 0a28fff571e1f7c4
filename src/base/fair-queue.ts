/**
 * Runs heavy work, a few pieces at a time. Owners take turns, so an owner with much work delays itself, not the others. Each
 * owner may have only a few pieces waiting; more are refused at once.
 */
export interface FairQueue {
  /** Throws `QueueFullError` at once if the owner has too many pieces waiting. Work whose signal aborts while it waits is never begun. */
  run<T>(owner: string, work: () => Promise<T>, options?: QueueWish): Promise<T>;
  /** How many pieces of all owners wait. */
  readonly waiting: number;
}

export interface QueueWish {
  readonly signal?: AbortSignal | undefined;
  /** It is a part of work that was begun before: it waits, however many wait. */
  readonly isFurtherPart?: boolean | undefined;
}

export interface QueueLimits {
  /** How many pieces of one owner may wait. */
  readonly maxWaiting: number;
  /** How many pieces run at once; 1 by default. */
  readonly atOnce?: number;
  /** How many of them may be of one owner; 1 by default. */
  readonly ofOneOwner?: number;
}

export class QueueFullError extends Error {}

interface Owner {
  running: number;
  readonly waiting: (() => void)[];
}

export function createFairQueue({ maxWaiting, atOnce = 1, ofOneOwner = 1 }: QueueLimits): FairQueue {
  /** Owners with work, the next one first. After its turn an owner goes to the end. */
  const owners = new Map<string, Owner>();
  let running = 0;
  let waiting = 0;

  function begin(name: string, owner: Owner): void {
    owner.running++;
    running++;
    owners.delete(name);
    owners.set(name, owner);
  }

  function end(name: string, owner: Owner): void {
    owner.running--;
    running--;
    forgetIdle(name, owner);
    startNext();
  }

  function forgetIdle(name: string, { running: own, waiting: left }: Owner): void {
    if (own === 0 && left.length === 0) owners.delete(name);
  }

  function startNext(): void {
    for (const [name, owner] of owners) {
      if (running >= atOnce) return;
      if (owner.waiting.length === 0 || owner.running >= ofOneOwner) continue;
      const start = owner.waiting.shift()!;
      waiting--;
      begin(name, owner);
      start();
    }
  }

  async function wait(owner: Owner, signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = () => {
      const at = owner.waiting.indexOf(resolve);
      if (at < 0) return;
      owner.waiting.splice(at, 1);
      waiting--;
      reject(signal!.reason);
    };
    owner.waiting.push(resolve);
    waiting++;
    signal?.addEventListener('abort', leave, { once: true });
    try {
      await promise;
    } finally {
      signal?.removeEventListener('abort', leave);
    }
  }

  return {
    async run(name, work, { signal, isFurtherPart = false } = {}) {
      signal?.throwIfAborted();
      const owner = owners.get(name) ?? { running: 0, waiting: [] };
      owners.set(name, owner);
      if (running < atOnce && owner.running < ofOneOwner) begin(name, owner);
      else {
        if (owner.waiting.length >= maxWaiting && !isFurtherPart) throw new QueueFullError('too much work is waiting');
        await wait(owner, signal).catch((error: unknown) => {
          forgetIdle(name, owner);
          throw error;
        });
      }
      try {
        return await work();
      } finally {
        end(name, owner);
      }
    },
    get waiting() {
      return waiting;
    },
  };
}
