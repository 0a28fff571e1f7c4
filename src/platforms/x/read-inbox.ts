/**
 * Reads what came to the webhook, in order, and hands it on; what is durable as matches leaves the inbox. Each run reads the
 * inbox from its beginning: a crash repeats deliveries, and a repeat is the same match.
 */
import type { WakeUp } from '../../base/wake-up.ts';
import type { UpstreamLog } from '../platform.ts';
import type { Coverage } from './coverage.ts';
import { readXCursor } from './cursor.ts';
import type { ArrivalRecorder } from './record-arrivals.ts';
import type { Inbox, InboxRow } from './webhook-endpoint.ts';
import { readMessage } from './wire.ts';

const PAGE = 200;
/** Other nodes store deliveries, too, and do not wake us. */
const LOOK_EVERY_MS = 1_000;

interface Parts {
  readonly inbox: Inbox;
  readonly log: UpstreamLog;
  readonly coverage: Coverage;
  readonly recorder: ArrivalRecorder;
  readonly wakeUp: WakeUp;
  /** Stores what this node knows of deliveries that failed. */
  readonly flush: () => Promise<void>;
  readonly committed: () => string | undefined;
  /** Resolves when the consumer has taken what was handed on. */
  readonly taken: (signal: AbortSignal) => Promise<void>;
  readonly onReplayed: (jobId: string, isWhole: boolean) => void;
  readonly signal: AbortSignal;
}

export interface InboxReader {
  /** Resolves when everything that is in the inbox now was handed on; rejects if it cannot be read. */
  drain(): Promise<void>;
  /** Runs until the signal aborts. */
  run(): Promise<void>;
}

export function createInboxReader(parts: Parts): InboxReader {
  const { inbox, log, coverage, wakeUp, signal } = parts;
  let position = 0;
  let dropped = 0;
  let reading: Promise<void> = Promise.resolve();

  async function readAll(): Promise<void> {
    await parts.flush();
    for (let isMore = true; isMore && !signal.aborted; ) {
      await parts.taken(signal);
      const rows = await inbox.after(position, PAGE);
      for (const row of rows) {
        position = row.position;
        coverage.read(position);
        handOn(row, parts);
      }
      isMore = rows.length === PAGE;
    }
    const stored = Math.min(position, readXCursor(parts.committed())?.received ?? 0);
    if (stored > dropped) await inbox.drop(stored);
    dropped = Math.max(stored, dropped);
  }

  const drain = (): Promise<void> => {
    reading = reading.catch(() => {}).then(readAll);
    return reading;
  };
  return {
    drain,
    async run() {
      while (!signal.aborted) {
        await drain().catch((error: unknown) =>
          log.warn({ platform: 'x', err: error }, 'deliveries of X could not be read from the store; trying again'),
        );
        await wakeUp.sleep(LOOK_EVERY_MS, signal);
      }
    },
  };
}

const BREAKS = /[\r\n]/g;

function handOn(row: InboxRow, { coverage, recorder, onReplayed }: Parts): void {
  if ('cause' in row) {
    coverage.missed(row.at, row.until, row.cause);
    return;
  }
  const message = readMessage(row.body);
  if (message.kind === 'replayed') {
    onReplayed(message.jobId, message.isWhole);
    return;
  }
  // A record is one line. Outside of strings a line break is a blank, and inside of them there is none.
  const line = Buffer.from(Buffer.from(row.body).toString('latin1').replaceAll(BREAKS, ' '), 'latin1');
  recorder.deliver(line, message);
}
