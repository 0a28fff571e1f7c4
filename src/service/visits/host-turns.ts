/**
 * Accounts take turns at a host: the one that was visited last comes again when all others that have something due there had their
 * turn. An account with a thousand sources on one host would otherwise keep it for hours.
 */
import type { Clock } from '../../base/clock.ts';
import { createLru } from '../../base/lru.ts';
import { shardOf } from '../../sources/kinds/account-source.ts';
import type { SourceFetch, Store } from '../../store/store.ts';

export interface HostTurns {
  /** The fetch whose turn it is, where this one is due at its host: itself, or that of an account that had no turn yet. */
  next(due: SourceFetch, accountId: string | undefined, busyHosts: readonly string[]): Promise<SourceFetch>;
  /** An account had its turn. */
  had(host: string, accountId: string | undefined): void;
}

interface Turns {
  readonly accounts: Set<string>;
  /** When the last visit ended. */
  at: number;
}

/** A host that was left alone for so long has no queue. */
const IDLE_MS = 5_000;
const HOSTS_KEPT = 1_000;
/** So many that are due in its shard are looked through for one of the host. */
const LOOKED_AT = 256;

export function createHostTurns({ clock, store }: { clock: Clock; store: Pick<Store, 'nextFetches'> }): HostTurns {
  const hosts = createLru<string, Turns>({ limit: HOSTS_KEPT });
  return {
    async next(due, accountId, busyHosts) {
      const turns = hosts.get(due.host);
      if (turns === undefined || accountId === undefined || !turns.accounts.has(accountId)) return due;
      if (clock.elapsed() - turns.at <= IDLE_MS) {
        const without = { hosts: busyHosts, accounts: [...turns.accounts].toSorted() };
        const now = clock.now();
        const others = await store.nextFetches([shardOf(due.host)], without, { by: now, most: LOOKED_AT });
        const other = others.find(({ host, nextAt }) => host === due.host && nextAt <= now);
        if (other !== undefined) return other;
      }
      turns.accounts.clear();
      return due;
    },
    had(host, accountId) {
      if (accountId === undefined) return;
      const turns = hosts.get(host) ?? { accounts: new Set<string>(), at: 0 };
      turns.accounts.add(accountId);
      turns.at = clock.elapsed();
      hosts.set(host, turns);
    },
  };
}
