/** What connections say, noted: records go to the backlog, receipts to the coverage, strange things to counters and the log. */
import type { Clock } from '../../base/clock.ts';
import type { StreamCounter } from '../platform.ts';
import type { UpstreamLog } from '../upstream.ts';
import { cleaned } from '../upstream-call.ts';
import type { Entry } from './backlog-entry.ts';
import type { Coverage } from './coverage.ts';
import type { Hearer } from './read-connection.ts';
import type { Ending } from './reconnect-policy.ts';
import type { Volume } from './silence.ts';
import { type Problem, readMessage } from './wire.ts';

const SUSPECT_EVERY_MS = 30 * 60_000;

export interface HearingParts {
  readonly clock: Clock;
  readonly log: UpstreamLog;
  readonly count: (counter: StreamCounter) => void;
  readonly token: () => string;
  readonly volume: Volume;
}

export interface Hearing {
  /** For a live connection that was opened now, which is `opened` by X's clock. */
  live(opened: Date): Hearer;
  /** For one that brings what was missed. */
  readonly replay: Hearer;
  /** When the last live record came or, where none has, the connection was opened. */
  readonly lastRecord: number;
}

export function createHearing(
  { clock, log, count, token, volume }: HearingParts,
  coverage: Coverage,
  push: (entry: Entry) => boolean,
): Hearing {
  let lastRecord = clock.elapsed();
  let suspectedAt = Number.NEGATIVE_INFINITY;

  const pushRecord = (line: Buffer, replayed: boolean): boolean =>
    push({ kind: 'record', at: clock.now().getTime(), cursor: coverage.cursor(), replayed, line });

  function overlong(sample: Buffer): void {
    count('broken');
    const reason = 'it is longer than 1 MiB';
    push({ kind: 'broken', cursor: coverage.cursor(), reason, sample: sample.toString('utf8') });
  }

  function remark(problems: readonly Problem[], ending: Ending | undefined): void {
    if (ending === undefined) count('unknown_message');
    const detail = problems.map((problem) => cleaned(`${problem.title} ${problem.detail}`, token()));
    log.warn({ platform: 'x', detail }, 'X says something about its stream');
  }

  function isSuspect(): boolean {
    const now = clock.elapsed();
    if (now - suspectedAt < SUSPECT_EVERY_MS || !volume.isSuspect(now - lastRecord)) return false;
    suspectedAt = now;
    return true;
  }

  return {
    live(opened) {
      lastRecord = clock.elapsed();
      return {
        record(line) {
          lastRecord = clock.elapsed();
          coverage.receipt();
          if (!pushRecord(line, coverage.awaitsBackfill)) return false;
          if (coverage.awaitsBackfill && isYounger(line, opened)) coverage.backfilled();
          return true;
        },
        heartbeat() {
          coverage.receipt();
          // Whoever has time for a heartbeat has nothing else to send.
          if (coverage.awaitsBackfill) coverage.backfilled();
          coverage.mark();
          return isSuspect() ? 'suspect' : undefined;
        },
        overlong(sample) {
          coverage.receipt();
          overlong(sample);
        },
        remark,
      };
    },
    replay: { record: (line) => pushRecord(line, true), heartbeat: () => undefined, overlong, remark },
    get lastRecord() {
      return lastRecord;
    },
  };
}

/** Such a post is no part of a backfill, which comes first. */
function isYounger(line: Buffer, than: Date): boolean {
  const message = readMessage(line);
  return message.kind === 'post' && (message.createdAt ?? 0) >= than.getTime();
}
