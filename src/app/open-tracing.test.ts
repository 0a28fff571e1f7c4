import { describe, expect, it, vi } from 'vitest';
import { systemClock } from '../base/clock.ts';
import { openTracing, TRACE_PACKAGES } from './open-tracing.ts';
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
    const load = () => Promise.reject(new Error('Cannot find package'));
    expect(await openTracing(settings, { log, clock: systemClock, load })).toBeUndefined();
    expect(logged).toEqual([
      `OTEL_EXPORTER_OTLP_ENDPOINT is set, and no traces are sent: packages are missing. Install them beside Sluice, in these versions: ${TRACE_PACKAGES}`,
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

describe('the packages that are named', () => {
  it('are those of the package file', async () => {
    const { default: file } = await import('../../package.json', { with: { type: 'json' } });
    const peers = Object.entries(file.peerDependencies).map(([name, version]) => `${name}@${version}`);
    expect(TRACE_PACKAGES.split(' ').toSorted()).toEqual(peers.filter((one) => one.startsWith('@opentel')).toSorted());
    expect(file.devDependencies).toMatchObject(file.peerDependencies);
  });
});
