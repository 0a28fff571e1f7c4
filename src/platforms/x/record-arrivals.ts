/** Records what connections bring: records go to the backlog, receipts to the coverage, unusual messages to counters and the log. */
import type { Clock } from '../../base/clock.ts';
import type { StreamCounter, UpstreamLog } from '../platform.ts';
import { cleaned } from '../upstream-call.ts';
import type { Coverage, Reach } from './coverage.ts';
import type { ConnectionRecorder } from './read-connection.ts';
import type { DisconnectReason } from './reconnect-policy.ts';
import type { SilenceDetector } from './silence.ts';
import type { BacklogEntry } from './spill.ts';
import { type Problem, readMessage, type StreamMessage } from './wire.ts';

const SUSPECT_EVERY_MS = 30 * 60_000;

export interface RecorderParts {
  readonly clock: Clock;
  readonly log: UpstreamLog;
  readonly count: (counter: StreamCounter) => void;
  readonly token: () => string;
  readonly silence: SilenceDetector;
}

export class ArrivalRecorder {
  readonly #parts: RecorderParts;
  readonly #coverage: Coverage;
  readonly #push: (entry: BacklogEntry) => boolean;
  #lastRecordAt: number;
  #heardUntil: number;
  #suspectedAt = Number.NEGATIVE_INFINITY;
  /** Set after a suspicion, until a post comes: when the last post before it had come. Heartbeats show nothing meanwhile. */
  #doubtedSince: number | undefined;
  #onTrust: () => void = () => {};

  constructor(parts: RecorderParts, coverage: Coverage, push: (entry: BacklogEntry) => boolean) {
    this.#parts = parts;
    this.#coverage = coverage;
    this.#push = push;
    this.#lastRecordAt = parts.clock.elapsed();
    this.#heardUntil = this.#lastRecordAt;
  }

  /** For a live connection that was opened at this moment, which is `opened` by X's clock. `onTrust`: a doubt has ended. */
  live(opened: Date, onTrust: () => void): ConnectionRecorder {
    this.#lastRecordAt = this.#parts.clock.elapsed();
    this.#heardUntil = this.#lastRecordAt;
    this.#onTrust = onTrust;
    return {
      record: (line, lag) => this.#recordLive(line, lag, opened),
      heartbeat: (lag) => this.#heartbeat(lag),
      overlong: (sample, lag) => {
        this.#coverage.receipt(this.#coverage.reachNow(lag));
        this.#overlong(sample, this.#coverage.awaitsBackfill);
      },
      remark: (problems, reason) => this.#remark(problems, reason),
    };
  }

  /** For a connection that brings what is missing. */
  get replay(): ConnectionRecorder {
    return {
      record: (line) => this.#pushRecord(line, true),
      heartbeat: () => undefined,
      overlong: (sample) => this.#overlong(sample, true),
      remark: (problems, reason) => this.#remark(problems, reason),
    };
  }

  /** A delivery to the webhook. A new post says that posts come, and nothing of other deliveries; anything else says nothing. */
  deliver(line: Buffer, message: StreamMessage): boolean {
    const isReplayed = message.kind === 'post' && message.isReplayed;
    if (!this.#pushRecord(line, isReplayed)) return false;
    if (message.kind !== 'post' || isReplayed) return true;
    this.#trust();
    this.#lastRecordAt = this.#parts.clock.elapsed();
    this.#heardUntil = this.#lastRecordAt;
    return true;
  }

  /** Up to when live records came, or when the connection was opened if none has come. */
  get heardUntil(): number {
    return this.#heardUntil;
  }

  /** The last connection brought heartbeats alone where posts were expected, and no post has come since. */
  get isDoubted(): boolean {
    return this.#doubtedSince !== undefined;
  }

  #recordLive(line: Buffer, lag: number, opened: Date): boolean {
    this.#trust();
    const reach = this.#coverage.reachNow(lag);
    // A record that finds no room is lost: only one that was taken is a receipt.
    if (!this.#pushRecord(line, this.#coverage.awaitsBackfill, reach)) return false;
    this.#coverage.receipt(reach);
    this.#lastRecordAt = this.#parts.clock.elapsed();
    this.#heardUntil = this.#lastRecordAt - lag;
    if (this.#coverage.awaitsBackfill && isYounger(line, opened)) this.#coverage.backfilled();
    return true;
  }

  #pushRecord(line: Buffer, replayed: boolean, reach?: Reach): boolean {
    const at = this.#parts.clock.now().getTime();
    const through = (reach?.at ?? this.#coverage.through).getTime();
    const cursor = this.#coverage.cursor(reach);
    return this.#push({ kind: 'record', at, through, cursor, replayed, ...this.#since(replayed), line });
  }

  #since(replayed: boolean): { readonly since?: number } {
    const since = replayed ? this.#coverage.missingSince : undefined;
    return since === undefined ? {} : { since: since.getTime() };
  }

  #heartbeat(lag: number): DisconnectReason | undefined {
    if (this.#isStillDoubted()) {
      this.#coverage.stayed();
      return this.#isSuspect() ? 'suspect' : undefined;
    }
    this.#trust();
    this.#coverage.receipt(this.#coverage.reachNow(lag));
    // X sends heartbeats only when it has nothing else to send.
    if (this.#coverage.awaitsBackfill) this.#coverage.backfilled();
    this.#coverage.mark();
    return this.#isSuspect() ? 'suspect' : undefined;
  }

  #isSuspect(): boolean {
    const now = this.#parts.clock.elapsed();
    if (now - this.#suspectedAt < SUSPECT_EVERY_MS) return false;
    if (!this.#parts.silence.isSuspect(now - this.#lastRecordAt)) return false;
    this.#suspectedAt = now;
    this.#doubtedSince ??= this.#lastRecordAt;
    return true;
  }

  /** Rules that are gone take what was expected of them along. */
  #isStillDoubted(): boolean {
    if (this.#doubtedSince === undefined) return false;
    return this.#parts.silence.isSuspect(this.#parts.clock.elapsed() - this.#doubtedSince);
  }

  #trust(): void {
    if (!this.isDoubted) return;
    this.#doubtedSince = undefined;
    this.#coverage.trust(!this.#parts.silence.isSuspect(this.#parts.clock.elapsed() - this.#lastRecordAt));
    this.#onTrust();
  }

  #overlong(sample: Buffer, replayed: boolean): void {
    this.#parts.count('broken');
    this.#push({
      kind: 'broken',
      through: this.#coverage.through.getTime(),
      ...this.#since(replayed),
      cursor: this.#coverage.cursor(),
      reason: 'it is longer than 1 MiB',
      sample: sample.toString('utf8'),
    });
  }

  #remark(problems: readonly Problem[], reason: DisconnectReason | undefined): void {
    const { count, log, token } = this.#parts;
    if (reason === undefined) count('unknown_message');
    const detail = problems.map((problem) => cleaned(`${problem.title} ${problem.detail}`, token()));
    log.warn({ platform: 'x', detail }, 'X sent a message about its stream');
  }
}

/** A backfill comes first and has only older posts, so a post that was created after the connection opened ends it. */
function isYounger(line: Buffer, than: Date): boolean {
  const message = readMessage(line);
  return message.kind === 'post' && (message.createdAt ?? 0) >= than.getTime();
}
