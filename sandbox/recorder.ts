/** What was asked and what was sent, for tests that compare it with what their own side saw. */
import type { Platform } from '../src/domain/platform.ts';

export interface RecordedCall {
  readonly at: Date;
  readonly method: string;
  /** With its query string. */
  readonly path: string;
  /** Undefined when the answer was withheld, or the connection cut instead. */
  readonly status: number | undefined;
  /** When a refusal said to come back. */
  readonly notBefore: Date | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

export interface SentEvent {
  readonly at: Date;
  readonly platform: Platform;
  /** The connection, counted from 1. */
  readonly stream: number;
  /** The post's id, or the `id:` of the update. */
  readonly id: string;
  readonly ruleIds: readonly string[];
}

export interface Recorder {
  readonly calls: RecordedCall[];
  /** Whole records only: one that a cut left in pieces was not sent. */
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

/** Trims in one go now and then: shifting one by one would cost a pass over the list each time. */
export function append<T>(list: T[], item: T, keep: number): void {
  list.push(item);
  if (list.length > keep * 2) list.splice(0, list.length - keep);
}
