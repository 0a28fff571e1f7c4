/** Records requests and sent events, so that tests can compare them with what their side saw. */
import type { Platform } from '../src/domain/platform.ts';

export interface RecordedCall {
  readonly at: Date;
  readonly method: string;
  /** With the query string. */
  readonly path: string;
  /** It is undefined if no answer was sent, or the connection was cut instead. */
  readonly status: number | undefined;
  /** When a refused client may come back, as the answer said. */
  readonly notBefore: Date | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

export interface SentEvent {
  readonly at: Date;
  readonly platform: Platform;
  /** The number of the connection, from 1. */
  readonly stream: number;
  /** The post's id, or the `id:` of the update. */
  readonly id: string;
  readonly ruleIds: readonly string[];
}

export interface Recorder {
  readonly calls: RecordedCall[];
  /** Only whole records: one that was cut does not count as sent. */
  readonly sent: SentEvent[];
  call(call: RecordedCall): void;
  event(event: SentEvent): void;
}

/** Keeps the last `keep` of each, or somewhat more. */
export function createRecorder(keep: number): Recorder {
  const calls: RecordedCall[] = [];
  const sent: SentEvent[] = [];
  return {
    calls,
    sent,
    call: (call) => append(calls, call, keep),
    event: (event) => append(sent, event, keep),
  };
}

/** Trims many items at once, because removing the first of a long list moves all others. */
export function append<T>(list: T[], item: T, keep: number): void {
  list.push(item);
  if (list.length > keep * 2) list.splice(0, list.length - keep);
}
