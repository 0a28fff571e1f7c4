/**
 * Counts what each account uses on this process: CPU, bytes and events pushed, matches, requests, turns in compute
 * threads. It is counted by the minute, given to the store once a minute, and forgotten here: memory is bounded by who
 * was active lately.
 */
import type { Clock } from '../../base/clock.ts';
import { type AccountUse, USED, type Used } from '../../store/nouns/account-use.ts';
import type { Store } from '../../store/store.ts';
import type { Log } from '../telemetry.ts';

const MINUTE = 60_000;
/** The store keeps the minutes of this long. */
export const KEPT_MS = 60 * MINUTE;

export interface AccountUses {
  add(accountId: string, used: Partial<Record<Used, number>>): void;
  /** The figures that this process counted in the last whole minute. */
  lastMinute(): AccountUse[];
  /** Gives the store what was counted. */
  flush(): Promise<void>;
  /** Runs until the signal aborts; then what is left is stored. */
  run(signal: AbortSignal): Promise<void>;
}

interface Deps {
  readonly store: Pick<Store, 'noteUse'>;
  readonly clock: Clock;
  readonly log: Log;
}

type Counts = Record<Used, number>;
/** The uses of one minute, by account. */
type Minute = Map<string, Counts>;

export function createAccountUses({ store, clock, log }: Deps): AccountUses {
  /** The figures that the store has not got yet, by minute. */
  let waiting = new Map<number, Minute>();
  const shown = createLastMinutes();
  let flushing = Promise.resolve();
  const minute = () => Math.floor(clock.now().getTime() / MINUTE);

  async function put(minutes: ReadonlyMap<number, Minute>): Promise<void> {
    const keptSince = new Date(clock.now().getTime() - KEPT_MS);
    for (const [at, uses] of minutes) await store.noteUse(new Date(at * MINUTE), usesOf(uses), keptSince);
  }

  async function putWaiting(before: number): Promise<void> {
    const taken = new Map([...waiting].filter(([at]) => at < before));
    waiting = new Map([...waiting].filter(([at]) => at >= before));
    // Figures that cannot be stored are missing from a list that nobody counts on; the limits do not read it.
    await put(taken).catch((error: unknown) => log.warn({ err: error }, 'the use of accounts could not be stored'));
  }

  function flush(before = Number.POSITIVE_INFINITY): Promise<void> {
    flushing = flushing.then(() => putWaiting(before));
    return flushing;
  }

  return {
    add(accountId, used) {
      const at = minute();
      waiting.set(at, waiting.get(at) ?? new Map());
      for (const uses of [waiting.get(at)!, shown.at(at)]) addTo(uses, accountId, used);
    },
    lastMinute: () => usesOf(shown.before(minute())),
    flush: () => flush(),
    async run(signal) {
      while (!signal.aborted) {
        await clock.sleep(MINUTE, signal);
        // A minute that still runs is stored when it is over: a write would make every kept page stale.
        await (signal.aborted ? flush() : flush(minute()));
      }
    },
  };
}

/** The running minute and the one before it; earlier ones are forgotten. */
function createLastMinutes() {
  const minutes = new Map<number, Minute>();
  function at(minute: number): Minute {
    for (const known of minutes.keys()) if (known < minute - 1) minutes.delete(known);
    const uses: Minute = minutes.get(minute) ?? new Map();
    minutes.set(minute, uses);
    return uses;
  }
  return {
    at,
    before(minute: number): Minute {
      at(minute);
      return minutes.get(minute - 1) ?? new Map();
    },
  };
}

function addTo(uses: Minute, accountId: string, used: Partial<Counts>): void {
  const counts = uses.get(accountId) ?? none();
  for (const name of USED) counts[name] += used[name] ?? 0;
  uses.set(accountId, counts);
}

const none = (): Counts => ({ cpu_ms: 0, bytes_in: 0, events: 0, matches: 0, requests: 0, turns: 0 });

const usesOf = (uses: Minute): AccountUse[] =>
  Array.from(uses, ([accountId, counts]) => ({ accountId, ...counts, cpu_ms: Math.round(counts.cpu_ms) }));

/** The accounts that used most of one thing, and all others together. */
export function topUses(uses: readonly AccountUse[], by: Used, most: number): { account: string; value: number }[] {
  const sorted = uses.toSorted((one, other) => other[by] - one[by]).filter((use) => use[by] > 0);
  const rest = sorted.slice(most).reduce((sum, use) => sum + use[by], 0);
  return [
    ...sorted.slice(0, most).map((use) => ({ account: use.accountId, value: use[by] })),
    { account: 'other', value: rest },
  ];
}
