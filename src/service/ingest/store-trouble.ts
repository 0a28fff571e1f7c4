/** Whether the store can be written. After a failure it is tried again until it works, and nothing is taken meanwhile. */
import type { Clock } from '../../base/clock.ts';
import { StoreError } from '../../store/error.ts';
import type { Commit, Store } from '../../store/store.ts';
import { type NotReady, storeFault } from '../readiness.ts';
import type { Log } from '../telemetry.ts';

/** Milliseconds before the store is tried again after a failure; the last one is repeated. */
const RETRY_AFTER: readonly number[] = [100, 250, 500, 1_000];
/** On a disk that is nearly full a row fits where the next commit does not: this many bytes must fit, or what failed. */
const LEAST_ROOM = 256 * 1024;

export interface StoreTrouble {
  /** Why nothing can be stored at the moment; undefined when all is well. */
  readonly reason: NotReady | undefined;
  /** A commit failed: the store is tried from now on until one works. */
  report(error: unknown, commit: Commit): void;
}

export function createStoreTrouble(
  store: Pick<Store, 'check' | 'commit'>,
  clock: Clock,
  log: Log,
  signal: AbortSignal,
): StoreTrouble {
  let reason: NotReady | undefined;
  async function works({ platform }: Commit, room: number): Promise<boolean> {
    try {
      await store.check(room);
      await store.commit({ platform, at: clock.now(), events: [] });
      return true;
    } catch (error) {
      reason = storeFault(error);
      return false;
    }
  }
  async function recover(failed: Commit): Promise<void> {
    // A server that was away says nothing of its disk.
    const room = reason === 'store_away' ? 0 : Math.max(LEAST_ROOM, bytesOf(failed));
    for (let tries = 0; !signal.aborted; tries++) {
      await clock.sleep(RETRY_AFTER[Math.min(tries, RETRY_AFTER.length - 1)]!, signal);
      if (signal.aborted || !(await works(failed, room))) continue;
      reason = undefined;
      log.info({}, 'the store can be written again');
      return;
    }
  }
  return {
    get reason() {
      return reason;
    },
    report(error, commit) {
      if (reason !== undefined) return;
      reason = storeFault(error);
      log.error({ err: error, reason }, 'the store failed; no event is taken until it can be written again');
      void recover(commit);
    },
  };
}

/** An event takes so many bytes beside its payload, and so does a match. */
const ROW_BYTES = 256;

/** About as many as it takes: writing all of it as JSON to know would hold up everything else. */
const bytesOf = ({ events }: Commit): number =>
  events.reduce((sum, event) => sum + ROW_BYTES * (1 + event.matches.length) + Buffer.byteLength(payloadIn(event)), 0);

const payloadIn = (event: Commit['events'][number]): string =>
  'event' in event ? (event.event.json ?? JSON.stringify(event.event.payload)) : event.payload;

/** Whether the store works, and refused what it was given. */
export const isRefused = (error: unknown): boolean =>
  error instanceof StoreError && (error.reason === 'refused' || error.reason === 'exists');

/** Events at fault that are looked for in one batch. Where there are more, the fault is hardly that of the events. */
const MOST_REFUSED = 8;

type Part = readonly [from: number, to: number];

/**
 * Commits so many events in their order, together if the store takes them so. Answers which it refuses. Throws what is no refusal:
 * then nothing was committed from where it stood.
 */
export async function commitApart(
  events: number,
  commit: (from: number, to: number) => Promise<void>,
  refuse: (event: number, error: unknown) => void,
): Promise<number[]> {
  const parts: Part[] = [[0, events]];
  const refused: number[] = [];
  for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
    const [from, to] = part;
    try {
      await commit(from, to);
    } catch (error) {
      if (!isRefused(error) || to === from) throw error;
      if (to - from > 1) {
        parts.unshift(...halvesOf(part));
        continue;
      }
      refuse(from, error);
      if (refused.push(from) === MOST_REFUSED)
        throw new StoreError('unwritable', 'The store refuses many events at once.', { cause: error });
    }
  }
  return refused;
}

function halvesOf([from, to]: Part): Part[] {
  const middle = (from + to) >>> 1;
  return [
    [from, middle],
    [middle, to],
  ];
}
