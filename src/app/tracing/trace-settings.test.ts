import { describe, expect, it } from 'vitest';
import { traceSettings } from './trace-settings.ts';

const ON = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };

describe('traces are off', () => {
  it.each([
    ['when no endpoint is set', {}],
    ['when it is empty', { OTEL_EXPORTER_OTLP_ENDPOINT: '' }],
    ['when the SDK is disabled', { ...ON, OTEL_SDK_DISABLED: 'TRUE' }],
    ['when the exporter of traces is none', { ...ON, OTEL_TRACES_EXPORTER: 'none' }],
  ])('%s', (_, env) => {
    expect(traceSettings(env)).toBeUndefined();
  });
});

describe('the variables of OpenTelemetry', () => {
  it('have its own defaults', () => {
    expect(traceSettings(ON)).toEqual({
      sampler: { name: 'parentbased_always_on', ratio: 1 },
      queue: 2_048,
      batch: 512,
      delay: 5_000,
      refusal: undefined,
      problems: [],
    });
    expect(traceSettings({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://collector/v1/traces' })).toBeDefined();
    expect(traceSettings({ ...ON, OTEL_SDK_DISABLED: 'no' })).toBeDefined();
  });

  it('are read', () => {
    expect(
      traceSettings({
        ...ON,
        OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
        OTEL_TRACES_SAMPLER_ARG: '0.25',
        OTEL_BSP_MAX_QUEUE_SIZE: '10',
        OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '5',
        OTEL_BSP_SCHEDULE_DELAY: '100',
      }),
    ).toMatchObject({
      sampler: { name: 'parentbased_traceidratio', ratio: 0.25 },
      queue: 10,
      batch: 5,
      delay: 100,
      problems: [],
    });
  });

  it.each([
    ['OTEL_TRACES_SAMPLER', { OTEL_TRACES_SAMPLER: 'jaeger_remote' }],
    ['OTEL_TRACES_SAMPLER_ARG', { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '2' }],
    ['OTEL_BSP_MAX_QUEUE_SIZE', { OTEL_BSP_MAX_QUEUE_SIZE: '0' }],
    ['OTEL_BSP_SCHEDULE_DELAY', { OTEL_BSP_SCHEDULE_DELAY: 'soon' }],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }],
  ])('that are wrong are told and passed over: %s', (name, env) => {
    const { problems, queue, delay, sampler } = traceSettings({ ...ON, ...env })!;
    expect(problems).toEqual([expect.stringMatching(new RegExp(`^${name} `))]);
    expect([queue, delay, sampler.ratio]).toEqual([2_048, 5_000, 1]);
  });

  it('send nothing to what is no address', () => {
    expect(traceSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317' })!.refusal).toMatch(
      /^OTEL_EXPORTER_OTLP_ENDPOINT must be/,
    );
  });
});
