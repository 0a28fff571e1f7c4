/** The spans of an event's way in, by the names of OpenTelemetry's conventions. */
import type { SpanAttributes, TraceContext, Tracer, TraceSpan } from '../../base/tracing.ts';
import type { Platform } from '../../domain/platform.ts';

/** Events are matched and stored: for a push under its request, for a source or an upstream in a trace of its own. */
export const processSpan = (
  tracer: Tracer,
  { platform, source }: { readonly platform: Platform; readonly source: string },
  causes: readonly TraceContext[],
): TraceSpan =>
  tracer.begin(`process ${platform}`, {
    kind: 'consumer',
    causes,
    attributes: {
      'messaging.system': 'sluice',
      'messaging.operation.type': 'process',
      'messaging.operation.name': 'match',
      'messaging.destination.name': platform,
      'sluice.source': source,
    },
  });

/** The counts of a push. */
interface PushCounts {
  readonly accepted: number;
  readonly matches: number;
  readonly rejected: readonly unknown[];
  readonly moreRejected: number;
}

export const pushedAttributes = ({ accepted, matches, rejected, moreRejected }: PushCounts): SpanAttributes => ({
  'messaging.batch.message_count': accepted,
  'sluice.matches': matches,
  'sluice.rejected': rejected.length + moreRejected,
});

/** One span for one transaction: the pushes that share it are its causes. */
export const commitSpan = (
  tracer: Tracer,
  { platform, events, database = 'other_sql' }: { platform: Platform; events: number; database: string | undefined },
  causes: Iterable<TraceContext>,
): TraceSpan =>
  tracer.begin(`commit ${platform}`, {
    kind: 'client',
    causes: [...causes],
    attributes: {
      'db.system.name': database,
      'db.operation.name': 'commit',
      'db.operation.batch.size': events,
    },
  });
