/**
 * A bounded queue stands between the program and the collector, and its losses are counted. A collector that is away or
 * slow costs the spans beyond the bound and nothing else. The log hears once when spans begin to be lost, and once when
 * the collector takes them again.
 */
import type { ReadableSpan, SpanExporter, SpanProcessor } from '@opentelemetry/sdk-trace';
import type { Log } from '../../service/telemetry.ts';

type Result = Parameters<Parameters<SpanExporter['export']>[1]>[0];

const SAMPLED = 1;
/** `ExportResultCode.SUCCESS` of the SDK, whose packages are not loaded here. */
const SUCCESS = 0 as Result['code'];

export interface SpanQueue {
  readonly processor: SpanProcessor;
  /** Spans that the collector never got. */
  readonly dropped: number;
  /** Spans that wait for the collector, or for its answer. */
  readonly waiting: number;
}

export function createSpanQueue(
  exporter: SpanExporter,
  limit: number,
  log: Log,
  batching: (exporter: SpanExporter) => SpanProcessor,
): SpanQueue {
  const counts = createSpanCounts(log);
  const batches = batching(counted(exporter, counts));
  return {
    processor: {
      onStart: () => {},
      onEnd(span: ReadableSpan) {
        if ((span.spanContext().traceFlags & SAMPLED) === 0) return;
        if (counts.queued >= limit) return counts.lose(1, `${limit} spans wait to be sent`);
        counts.queued++;
        batches.onEnd(span);
      },
      forceFlush: () => batches.forceFlush(),
      shutdown: () => batches.shutdown(),
    },
    get dropped() {
      return counts.dropped;
    },
    get waiting() {
      return counts.queued + counts.sending;
    },
  };
}

interface SpanCounts {
  queued: number;
  sending: number;
  readonly dropped: number;
  lose(spans: number, reason: string): void;
  recover(): void;
}

function createSpanCounts(log: Log): SpanCounts {
  let dropped = 0;
  let isLosing = false;
  return {
    queued: 0,
    sending: 0,
    get dropped() {
      return dropped;
    },
    lose(spans, reason) {
      dropped += spans;
      if (!isLosing) log.warn({ reason }, 'Traces are being lost: the collector does not take them.');
      isLosing = true;
    },
    recover() {
      if (isLosing) log.info({}, 'The collector takes traces again.');
      isLosing = false;
    },
  };
}

/** Wraps an exporter, so that the spans that it takes, sends and fails to send are counted. */
const counted = (exporter: SpanExporter, counts: SpanCounts): SpanExporter => ({
  ...(exporter.forceFlush && { forceFlush: () => exporter.forceFlush!() }),
  shutdown: () => exporter.shutdown(),
  export(spans, done) {
    counts.queued -= spans.length;
    counts.sending += spans.length;
    exporter.export(spans, (result) => {
      counts.sending -= spans.length;
      if (result.code === SUCCESS) counts.recover();
      else counts.lose(spans.length, result.error?.message ?? 'no reason is known');
      done(result);
    });
  },
});
