import type { TraceContext } from '../../base/tracing.ts';

/** What one push waits for: every event it added is durable, or the store failed. */
export interface Receipt {
  /** Resolves to the number of new matches, or rejects with what the store threw. */
  readonly done: Promise<number>;
  /** That many more events must be confirmed before the receipt is done. */
  expect(events: number): void;
  /** One event is durable, and brought this many new matches. */
  confirm(matches: number): void;
  fail(error: unknown): void;
  readonly hasFailed: boolean;
  /** The span of the push, where traces are on. */
  readonly trace: TraceContext | undefined;
}

/** The push itself counts as one event: it is confirmed when it has added its last line. */
export function createReceipt(trace?: TraceContext): Receipt {
  const { promise: done, resolve, reject } = Promise.withResolvers<number>();
  // The push may still be reading its lines when the store fails: it looks at `done` later.
  done.catch(() => {});
  let waiting = 1;
  let matches = 0;
  let hasFailed = false;
  return {
    done,
    trace,
    expect(events) {
      waiting += events;
    },
    confirm(added) {
      matches += added;
      if (--waiting === 0) resolve(matches);
    },
    fail(error) {
      hasFailed = true;
      reject(error);
    },
    get hasFailed() {
      return hasFailed;
    },
  };
}
