/** Traces by OpenTelemetry's own SDK. Its packages are optional, and loaded only where traces are on. */
import type { Context as OtelContext, Span as OtelSpan, SpanContext } from '@opentelemetry/api';
import type { Sampler } from '@opentelemetry/sdk-trace';
import type { Clock } from '../../base/clock.ts';
import { loadClient } from '../../base/optional-client.ts';
import { parentAndLinks, type SpanKind, type TraceContext, type Tracer, type TraceSpan } from '../../base/tracing.ts';
import type { Log } from '../../service/telemetry.ts';
import { VERSION } from '../version.ts';
import { createSpanQueue, type SpanQueue } from './span-queue.ts';
import type { TraceSettings } from './trace-settings.ts';

export interface Tracing extends AsyncDisposable {
  readonly tracer: Tracer;
  /** Spans that the collector never got. */
  readonly dropped: number;
}

/** Spans that still wait have this long to be sent when the program stops. */
const STOP_MS = 3_000;
/** Strangers choose some values, such as the host of a request. */
const MAX_VALUE = 256;

const loadPackages = async () => {
  const [api, sdk, resources, otlp] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/exporter-trace-otlp-http'),
  ]);
  return { api, sdk, resources, otlp };
};
type Packages = Awaited<ReturnType<typeof loadPackages>>;

interface TracingDeps {
  readonly log: Log;
  readonly clock: Clock;
  /** How the packages come in; tests take them away. */
  readonly load?: () => Promise<Packages>;
}

/** Returns undefined when traces are off, or cannot be made; the log then says what to do. */
export async function openTracing(
  settings: TraceSettings | undefined,
  { log, clock, load = loadPackages }: TracingDeps,
): Promise<Tracing | undefined> {
  if (settings === undefined) return undefined;
  for (const problem of [...settings.problems, settings.refusal]) if (problem !== undefined) log.warn({}, problem);
  if (settings.refusal !== undefined) return undefined;
  const packages = await loadClient('OpenTelemetry', load).catch((error: unknown) => {
    log.warn({}, `OTEL_EXPORTER_OTLP_ENDPOINT is set, and no traces are sent. ${(error as Error).message}`);
    return undefined;
  });
  return packages && tracingOf(packages, settings, log, clock);
}

function tracingOf(packages: Packages, settings: TraceSettings, log: Log, clock: Clock): Tracing {
  const { sdk, resources, otlp } = packages;
  const queue = createSpanQueue(new otlp.OTLPTraceExporter(), settings.queue, log, (exporter) => {
    const { batch, delay, queue: size } = settings;
    return new sdk.BatchSpanProcessor({
      exporter,
      maxQueueSize: size,
      maxExportBatchSize: Math.min(batch, size),
      scheduledDelayMillis: delay,
    });
  });
  const ours = resources.resourceFromAttributes({ 'service.name': 'sluice', 'service.version': VERSION });
  const detectors = [
    resources.serviceInstanceIdDetector,
    resources.resourceAttributesEnvDetector,
    resources.serviceNameEnvDetector,
  ];
  const provider = new sdk.TracerProvider({
    // The values of the variables win.
    resource: resources.defaultResource().merge(ours).merge(resources.detectResources({ detectors })),
    sampler: samplerOf(packages, settings.sampler),
    spanLimits: { attributeValueLengthLimit: MAX_VALUE },
    spanProcessors: [queue.processor],
  });
  return {
    tracer: tracerOf(packages, provider.getTracer('sluice', VERSION)),
    get dropped() {
      return queue.dropped;
    },
    [Symbol.asyncDispose]: () => flush(provider, queue, log, clock),
  };
}

async function flush(provider: { shutdown(): Promise<void> }, queue: SpanQueue, log: Log, clock: Clock): Promise<void> {
  const ended = new AbortController();
  await Promise.race([provider.shutdown().catch(() => {}), clock.sleep(STOP_MS, ended.signal)]);
  ended.abort();
  if (queue.waiting > 0) log.warn({ spans: queue.waiting }, 'The collector did not take the last traces in time.');
}

function samplerOf({ sdk }: Packages, { name, ratio }: TraceSettings['sampler']): Sampler {
  const roots: Readonly<Record<string, () => Sampler>> = {
    always_on: () => new sdk.AlwaysOnSampler(),
    always_off: () => new sdk.AlwaysOffSampler(),
    traceidratio: () => new sdk.TraceIdRatioBasedSampler(ratio),
  };
  const root = roots[name.replace('parentbased_', '')]!();
  return name.startsWith('parentbased_') ? new sdk.ParentBasedSampler({ root }) : root;
}

function tracerOf({ api }: Packages, tracer: ReturnType<Packages['api']['trace']['getTracer']>): Tracer {
  const kinds: Readonly<Record<SpanKind, number>> = {
    internal: api.SpanKind.INTERNAL,
    server: api.SpanKind.SERVER,
    client: api.SpanKind.CLIENT,
    producer: api.SpanKind.PRODUCER,
    consumer: api.SpanKind.CONSUMER,
  };
  const contextOf = (trace: TraceContext): SpanContext =>
    trace instanceof OwnTrace ? trace.span : remoteContext(api, trace);
  return {
    begin(name, { kind, causes, attributes }) {
      const { parent, links } = parentAndLinks(causes);
      const under: OtelContext =
        parent === undefined ? api.ROOT_CONTEXT : api.trace.setSpanContext(api.ROOT_CONTEXT, contextOf(parent));
      const linked = links.map((link) => ({ context: contextOf(link) }));
      return spanOf(api, tracer.startSpan(name, { kind: kinds[kind], attributes, links: linked }, under));
    },
  };
}

function spanOf({ SpanStatusCode }: Packages['api'], span: OtelSpan): TraceSpan {
  return {
    context: new OwnTrace(span.spanContext()),
    set: (attributes) => void span.setAttributes(attributes),
    fail(type) {
      span.setAttribute('error.type', type);
      span.setStatus({ code: SpanStatusCode.ERROR });
    },
    end: () => span.end(),
  };
}

/** A span of this process: written as headers only where it leaves. */
class OwnTrace implements TraceContext {
  readonly span: SpanContext;

  constructor(span: SpanContext) {
    this.span = span;
  }

  get traceparent(): string {
    const { traceId, spanId, traceFlags } = this.span;
    return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
  }

  get tracestate(): string | undefined {
    return this.span.traceState?.serialize();
  }
}

function remoteContext(api: Packages['api'], { traceparent, tracestate }: TraceContext): SpanContext {
  const [, traceId = '', spanId = '', flags = ''] = traceparent.split('-');
  return {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & api.TraceFlags.SAMPLED,
    isRemote: true,
    ...(tracestate !== undefined && { traceState: api.createTraceState(tracestate) }),
  };
}
