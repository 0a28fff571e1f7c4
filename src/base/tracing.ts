/**
 * Traces, as the parts of the program see them: a tracer begins spans. Where traces are off there is no tracer at all, so
 * `tracer?.begin(…)` calls nothing, evaluates no argument and allocates nothing.
 */

/** The identity of a span, as W3C Trace Context writes it into headers. */
export interface TraceContext {
  readonly traceparent: string;
  readonly tracestate?: string | undefined;
}

export type SpanKind = 'internal' | 'server' | 'client' | 'producer' | 'consumer';

/** By the names of OpenTelemetry's conventions. They never hold secrets, rules or the text of posts. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanStart {
  readonly kind: SpanKind;
  /** The spans that led to it; empty when a trace begins. */
  readonly causes: readonly TraceContext[];
  readonly attributes: SpanAttributes;
}

export interface TraceSpan {
  readonly context: TraceContext;
  set(attributes: SpanAttributes): void;
  /** It failed; the type is a code or the name of a class, never a message. */
  fail(type: string): void;
  end(): void;
}

export interface Tracer {
  begin(name: string, start: SpanStart): TraceSpan;
}

/** Links of one span; what was caused by more is linked to the first of them. */
const MAX_LINKS = 128;
/** A vendor's part of the context that is longer is left out, as the standard allows. */
const MAX_STATE = 512;

const FORM = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;

/** Reads the two headers as a stranger sent them; undefined when they are absent or not valid. */
export function readTraceContext(traceparent: unknown, tracestate?: unknown): TraceContext | undefined {
  const [, version, trace = '', span = '', flags = '', rest] =
    typeof traceparent === 'string' && traceparent.length <= MAX_STATE ? (FORM.exec(traceparent) ?? []) : [];
  if (version === undefined || version === 'ff' || (version === '00' && rest !== undefined)) return undefined;
  if (/^0+$/.test(trace) || /^0+$/.test(span)) return undefined;
  const hasState = typeof tracestate === 'string' && tracestate !== '' && tracestate.length <= MAX_STATE;
  return { traceparent: `00-${trace}-${span}-${flags}`, ...(hasState && { tracestate }) };
}

/** Whether those before us record the trace. */
const isSampled = ({ traceparent }: TraceContext): boolean => (Number.parseInt(traceparent.slice(-2), 16) & 1) === 1;

/** The span is a child of the first cause that is recorded, and linked to the others. */
export function parentAndLinks(causes: readonly TraceContext[]): {
  readonly parent: TraceContext | undefined;
  readonly links: readonly TraceContext[];
} {
  const parent = causes.find(isSampled) ?? causes[0];
  return { parent, links: causes.filter((cause) => cause !== parent).slice(0, MAX_LINKS) };
}

/** Does the work and ends the span with it: what came of it becomes attributes, an error its type. */
export async function inSpan<Result>(
  span: TraceSpan,
  work: (trace: TraceContext) => Promise<Result>,
  told?: (result: Result) => SpanAttributes,
): Promise<Result> {
  try {
    const result = await work(span.context);
    if (told !== undefined) span.set(told(result));
    return result;
  } catch (error) {
    span.fail(errorType(error));
    throw error;
  } finally {
    span.end();
  }
}

/** A code where there is one, else the name of the error's class. */
export function errorType(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown };
  const isWord = (text: unknown): text is string => typeof text === 'string' && /^[\w.-]{1,64}$/.test(text);
  return [code, name].find(isWord) ?? '_OTHER';
}
