/**
 * Reads OpenTelemetry's own variables about traces, as far as its SDK leaves them to the program. The exporter reads
 * the endpoint, the headers and the timeout itself. A wrong value is told and passed over, as OpenTelemetry asks:
 * traces never stop a start.
 */

export interface TraceSettings {
  readonly sampler: { readonly name: SamplerName; readonly ratio: number };
  /** Spans that wait to be sent; more are dropped. */
  readonly queue: number;
  /** Spans that are sent together, and the milliseconds between two sendings. */
  readonly batch: number;
  readonly delay: number;
  /** Why no traces can be sent. */
  readonly refusal: string | undefined;
  /** The problems of the other variables. */
  readonly problems: readonly string[];
}

const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;
export type SamplerName = (typeof SAMPLERS)[number];

const USUAL_SAMPLER: SamplerName = 'parentbased_always_on';

const NO_ADDRESS = 'OTEL_EXPORTER_OTLP_ENDPOINT must be an http:// or https:// address. No traces are sent.';

type Variables = Readonly<Record<string, string | undefined>>;

/** Returns undefined when traces are off. */
export function traceSettings(env: Variables): TraceSettings | undefined {
  const endpoint = env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] || env['OTEL_EXPORTER_OTLP_ENDPOINT'];
  const isDisabled = env['OTEL_SDK_DISABLED']?.trim().toLowerCase() === 'true';
  if (!endpoint || isDisabled || env['OTEL_TRACES_EXPORTER'] === 'none') return undefined;
  const problems: string[] = [];
  const protocol = env['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'] || env['OTEL_EXPORTER_OTLP_PROTOCOL'];
  if (protocol === 'grpc')
    problems.push(
      'OTEL_EXPORTER_OTLP_PROTOCOL is grpc, and Sluice sends traces over HTTP. Name the port of OTLP/HTTP.',
    );
  const count = (name: string, usual: number): number => {
    const text = env[name] || String(usual);
    if (/^[1-9]\d{0,6}$/.test(text)) return Number(text);
    problems.push(`${name} must be a whole number from 1 to 9999999. It is taken as ${usual}.`);
    return usual;
  };
  return {
    sampler: samplerOf(env, problems),
    queue: count('OTEL_BSP_MAX_QUEUE_SIZE', 2_048),
    batch: count('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 512),
    delay: count('OTEL_BSP_SCHEDULE_DELAY', 5_000),
    refusal: /^https?:$/.test(URL.parse(endpoint)?.protocol ?? '') ? undefined : NO_ADDRESS,
    problems,
  };
}

function samplerOf(env: Variables, problems: string[]): TraceSettings['sampler'] {
  const given = env['OTEL_TRACES_SAMPLER'] || USUAL_SAMPLER;
  const name = SAMPLERS.find((one) => one === given);
  if (name === undefined)
    problems.push(`OTEL_TRACES_SAMPLER must be one of ${SAMPLERS.join(', ')}. It is taken as ${USUAL_SAMPLER}.`);
  const text = env['OTEL_TRACES_SAMPLER_ARG'] || '1';
  const ratio = /^(?:\d+(?:\.\d+)?|\.\d+)$/.test(text) && Number(text) <= 1 ? Number(text) : undefined;
  const hasRatio = name?.endsWith('traceidratio') === true;
  if (hasRatio && ratio === undefined)
    problems.push('OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1. It is taken as 1.');
  return { name: name ?? USUAL_SAMPLER, ratio: ratio ?? 1 };
}
