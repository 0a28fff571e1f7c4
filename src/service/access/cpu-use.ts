/** The CPU that accounts have cost. The interface that admits requests listens, and charges their limits. */
import { aborted } from '../../base/wake-up.ts';
import type { Broker } from '../../broker/broker.ts';
import type { Account, Key } from '../../domain/account.ts';

/**
 * `turn`: in a compute thread. `push`: in the thread that takes events in, where bytes are limited instead of requests. `log`: for
 * lines that were answered before. The matcher has counted them, so that only the limit is charged. `reading`: in the thread that
 * reads documents of sources, where fetches are limited. `main`: in the main thread, beside requests.
 */
export type Spent = 'turn' | 'push' | 'log' | 'reading' | 'main';

export interface Payer {
  readonly account: Pick<Account, 'id' | 'limits'>;
  /** The key of the caller who waits, or waited. */
  readonly key?: Key;
}

type Listener = (payer: Payer, milliseconds: number, by: Spent) => void;

export interface CpuUse {
  note(payer: Payer, milliseconds: number, by?: Spent): void;
  listen(listener: Listener): void;
}

export function createCpuUse(): CpuUse {
  const listeners: Listener[] = [];
  return {
    note(payer, milliseconds, by = 'turn') {
      for (const listener of listeners) listener(payer, milliseconds, by);
    },
    listen: (listener) => void listeners.push(listener),
  };
}

const WORD = 'cpu';

/** The notice by which a matcher tells all nodes of CPU that logged lines of an account took. */
export const loggedCpu = (accountId: string, milliseconds: number): string =>
  `${WORD} ${accountId} ${milliseconds.toFixed(3)}`;

/** The other way round; undefined for a notice about something else. */
export function readLoggedCpu(
  notice: string,
): { readonly accountId: string; readonly milliseconds: number } | undefined {
  const [word, accountId, milliseconds] = notice.split(' ', 3);
  if (word !== WORD || accountId === undefined || milliseconds === undefined) return undefined;
  return { accountId, milliseconds: Number(milliseconds) };
}

interface Hearing {
  readonly broker: Pick<Broker, 'hear'>;
  readonly context: { readonly cpuUse: CpuUse };
  /** The account, where it has limits of its own. */
  readonly suspensions: { restricted(accountId: string): Account | undefined };
  /** The number of processes that take requests. */
  readonly follower: { readonly presence: { readonly apis: number } };
}

/** Charges accounts for logged lines until the signal aborts. */
export async function hearLoggedCpu(
  { broker, context, suspensions, follower }: Hearing,
  signal: AbortSignal,
): Promise<void> {
  const deaf = broker.hear((notice) => {
    const told = readLoggedCpu(notice);
    if (told === undefined) return;
    const { accountId, milliseconds } = told;
    const account = suspensions.restricted(accountId) ?? { id: accountId };
    // A charge counts for all of these processes, and each of them hears the notice.
    context.cpuUse.note({ account }, milliseconds / follower.presence.apis, 'log');
  });
  await aborted(signal);
  deaf();
}
