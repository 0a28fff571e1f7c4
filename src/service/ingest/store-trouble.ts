/** Whether the store can be written. After a failure it is tried again until it works, and nothing is taken meanwhile. */
import type { Clock } from '../../base/clock.ts';
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
  events.reduce(
    (sum, { event, matches }) =>
      sum + ROW_BYTES * (1 + matches.length) + Buffer.byteLength(event.json ?? JSON.stringify(event.payload)),
    0,
  );
