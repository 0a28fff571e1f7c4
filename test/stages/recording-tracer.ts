/** A tracer that keeps every span in memory, recorded or not; ids count on. */
import {
  parentAndLinks,
  type SpanAttributes,
  type SpanKind,
  type TraceContext,
  type Tracer,
} from '../../src/base/tracing.ts';

export interface RecordedSpan {
  readonly name: string;
  readonly kind: SpanKind;
  readonly context: TraceContext;
  readonly parent: TraceContext | undefined;
  readonly links: readonly TraceContext[];
  attributes: SpanAttributes;
  failed: string | undefined;
  ends: number;
}

export interface RecordingTracer extends Tracer {
  readonly spans: RecordedSpan[];
  named(name: string): RecordedSpan[];
}

export function recordingTracer(): RecordingTracer {
  const spans: RecordedSpan[] = [];
  return {
    spans,
    named: (name) => spans.filter((span) => span.name === name),
    begin(name, { kind, causes, attributes }) {
      const { parent, links } = parentAndLinks(causes);
      const id = String(spans.length + 1).padStart(16, '0');
      const trace = parent?.traceparent.slice(3, 35) ?? id.padStart(32, '1');
      const context = { traceparent: `00-${trace}-${id}-${parent?.traceparent.slice(-2) ?? '01'}` };
      const span: RecordedSpan = { name, kind, context, parent, links, attributes, failed: undefined, ends: 0 };
      spans.push(span);
      return {
        context,
        set(more) {
          span.attributes = { ...span.attributes, ...more };
        },
        fail(type) {
          span.failed = type;
        },
        end() {
          span.ends++;
        },
      };
    },
  };
}
