import { describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { openTracing } from './open-tracing.ts';
import { traceSettings } from './trace-settings.ts';

function stage() {
  const logged: string[] = [];
  const to = (_: object, message: string) => void logged.push(message);
  return { logged, log: { info: to, warn: to, error: to } };
}

const start = { kind: 'internal', causes: [], attributes: {} } as const;

describe('traces', () => {
  it('that are off load nothing and make no tracer', async () => {
    const { log } = stage();
    const load = () => Promise.reject(new Error('it was loaded'));
    expect(await openTracing(undefined, { log, clock: systemClock, load })).toBeUndefined();
  });

  it('without their packages are off, and the log says what to install', async () => {
    const { log, logged } = stage();
    const settings = traceSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' });
    const absent = "Cannot find package '@opentelemetry/sdk-trace' imported from /a.js";
    const load = () => Promise.reject(Object.assign(new Error(absent), { code: 'ERR_MODULE_NOT_FOUND' }));
    expect(await openTracing(settings, { log, clock: systemClock, load })).toBeUndefined();
    expect(logged).toEqual([
      'OTEL_EXPORTER_OTLP_ENDPOINT is set, and no traces are sent. This server has no OpenTelemetry client. Its operator installs it beside Sluice: npm install @opentelemetry/api@1.10.0 @opentelemetry/sdk-trace@3.1.0 @opentelemetry/resources@3.1.0 @opentelemetry/exporter-trace-otlp-http@0.301.0',
    ]);
  });

  it('to no address are off, and the log says so', async () => {
    const { log, logged } = stage();
    const settings = traceSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: 'nowhere' });
    expect(await openTracing(settings, { log, clock: systemClock })).toBeUndefined();
    expect(logged).toEqual([settings!.refusal]);
  });

  it('to a collector that never answers are given up when the program stops, and the log says how many', async () => {
    const { log, logged } = stage();
    const clock = { ...systemClock, sleep: async () => {} };
    const never = new Promise<never>(() => {});
    const silent = { export: () => {}, shutdown: () => never };
    const real = await Promise.all([
      import('@opentelemetry/api'),
      import('@opentelemetry/sdk-trace'),
      import('@opentelemetry/resources'),
      import('@opentelemetry/exporter-trace-otlp-http'),
    ]);
    const [api, sdk, resources, otlp] = real;
    const OTLPTraceExporter = vi.fn(function exporter() {
      return silent;
    }) as unknown as typeof otlp.OTLPTraceExporter;
    const load = async () => ({ api, sdk, resources, otlp: { ...otlp, OTLPTraceExporter } });
    const settings = traceSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' });
    const tracing = await openTracing(settings, { log, clock, load });
    tracing!.tracer.begin('one', start).end();
    await tracing![Symbol.asyncDispose]();
    expect(logged).toEqual(['The collector did not take the last traces in time.']);
  });
});
