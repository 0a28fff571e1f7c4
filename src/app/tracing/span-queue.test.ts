/** The queue before the collector, with the SDK's own batches behind it. */
import { ROOT_CONTEXT } from '@opentelemetry/api';
import { BatchSpanProcessor, type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace';
import { expect, it } from 'vitest';
import { createSpanQueue } from './span-queue.ts';

type Done = Parameters<SpanExporter['export']>[1];

/** A collector that answers when the test says so. */
function stage(limit: number) {
  const asked: { spans: number; done: Done }[] = [];
  const exporter: SpanExporter = {
    export: (spans, done) => void asked.push({ spans: spans.length, done }),
    shutdown: async () => {},
  };
  const logged: string[] = [];
  const to = (_: object, message: string) => void logged.push(message);
  const queue = createSpanQueue(
    exporter,
    limit,
    { info: to, warn: to, error: to },
    (counted) =>
      new BatchSpanProcessor({
        exporter: counted,
        maxQueueSize: limit,
        maxExportBatchSize: 4,
        scheduledDelayMillis: 1e6,
      }),
  );
  const tracer = new TracerProvider({ spanProcessors: [queue.processor] }).getTracer('test');
  const end = (spans: number) => {
    for (let span = 0; span < spans; span++) tracer.startSpan('one', {}, ROOT_CONTEXT).end();
  };
  return { queue, asked, logged, end };
}

it('holds what fits, counts what does not, and tells it once', () => {
  const { queue, asked, logged, end } = stage(10);
  end(4);
  expect(asked.map(({ spans }) => spans)).toEqual([4]);
  end(10);
  expect([queue.dropped, queue.waiting]).toEqual([0, 14]);
  end(1_000);
  expect([queue.dropped, queue.waiting]).toEqual([1_000, 14]);
  expect(logged).toEqual(['Traces are being lost: the collector does not take them.']);
});

it('counts what the collector refuses, and tells when it takes traces again', () => {
  const { queue, asked, logged, end } = stage(10);
  end(4);
  asked[0]!.done({ code: 1, error: new Error('no route') });
  expect([queue.dropped, queue.waiting]).toEqual([4, 0]);
  const sent = queue.processor.forceFlush();
  end(3);
  void queue.processor.forceFlush();
  asked[1]!.done({ code: 0 });
  expect([queue.dropped, queue.waiting]).toEqual([4, 0]);
  expect(logged).toEqual([
    'Traces are being lost: the collector does not take them.',
    'The collector takes traces again.',
  ]);
  return sent;
});
