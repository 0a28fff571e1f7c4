/**
 * Looks at accounts, one look at a time. The next look handles everything that was requested while one runs, so that a
 * slow store never collects a queue of looks.
 */
export interface PendingLooks {
  /** Looks at these accounts, or at all. Resolves when that is done. */
  ask(accountIds?: Iterable<string>): Promise<void>;
  /** Resolves when nothing is left to look at. */
  idle(): Promise<void>;
}

export function createPendingLooks(
  look: (only: ReadonlySet<string> | undefined) => Promise<void>,
  onFailure: (error: unknown) => void,
): PendingLooks {
  let pending: Set<string> | 'all' | undefined;
  let last: Promise<void> = Promise.resolve();

  async function lookNow(): Promise<void> {
    const only = pending;
    pending = undefined;
    try {
      await look(only === 'all' ? undefined : only);
    } catch (error) {
      onFailure(error);
    }
  }

  return {
    ask(accountIds) {
      if (pending === undefined) last = last.then(lookNow);
      if (accountIds === undefined || pending === 'all') pending = 'all';
      else pending = new Set([...(pending ?? []), ...accountIds]);
      return last;
    },
    idle: () => last,
  };
}
