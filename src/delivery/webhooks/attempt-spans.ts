/**
 * Traces of deliveries: each attempt is a span under the commits that its matches came from, and the receiver is told of it.
 * Which commits those were is kept in memory, not in the store: a delivery that another process froze, or that is made after
 * a restart, begins a trace of its own.
 */
import { createLru } from '../../base/lru.ts';
import type { SpanAttributes, SpanKind, TraceContext, Tracer, TraceSpan } from '../../base/tracing.ts';
import type { Outbox } from './outbox.ts';
import type { Sent } from './outcome.ts';
import { sinkAddress } from './sinks/sink-address.ts';
import { type Send, schemeOf, type WebhookRequest } from './transport.ts';

/** Matches and deliveries whose commits are remembered; of older ones the attempts begin their own traces. */
const MOST_MATCHES = 20_000;
const MOST_DELIVERIES = 10_000;

export interface DeliveryTraces {
  /** A commit added this many matches; the last of them has the position `latest`. */
  committed(commit: {
    readonly latest: number;
    readonly matches: number;
    readonly trace: TraceContext | undefined;
  }): void;
  /** Wraps an outbox, so that the batches that it freezes are followed. */
  following<Followed extends Pick<Outbox, 'freeze'>>(outbox: Followed): Followed;
  /** Wraps a transport, so that each attempt is a span. */
  sending(send: Send): Send;
}

export function traceDeliveries(tracer: Tracer): DeliveryTraces {
  const commits = createLru<number, TraceContext>({ limit: MOST_MATCHES });
  const causes = createLru<string, readonly TraceContext[]>({ limit: MOST_DELIVERIES });
  return {
    committed({ latest, matches, trace }) {
      if (trace === undefined) return;
      for (let position = latest - matches + 1; position <= latest; position++) commits.set(position, trace);
    },
    following(outbox) {
      const freeze: Outbox['freeze'] = (batch) => {
        const known = new Set(batch.positions.flatMap((position) => commits.get(position) ?? []));
        // Before it is a row: the attempt may begin as soon as it is one.
        if (known.size > 0) causes.set(batch.id, [...known]);
        return outbox.freeze(batch);
      };
      const followed: typeof outbox = Object.create(outbox);
      return Object.assign(followed, { freeze });
    },
    sending: (send) => async (request) => {
      const span = attemptSpan(tracer, request, causes.get(request.id ?? '') ?? []);
      // The state of vendors stays here: the receiver may be another account's than the sender of the event.
      const sent = await send({ ...request, headers: { ...request.headers, traceparent: span.context.traceparent } });
      endAttempt(span, sent);
      return sent;
    },
  };
}

function attemptSpan(tracer: Tracer, request: WebhookRequest, causes: readonly TraceContext[]): TraceSpan {
  const { name, kind, attributes } = startOf(request);
  const { id, webhook } = request;
  return tracer.begin(name, {
    kind,
    causes,
    attributes: {
      ...attributes,
      ...(id !== undefined && { 'sluice.delivery.id': id }),
      ...(webhook !== undefined && { 'sluice.webhook.id': webhook.id }),
    },
  });
}

interface AttemptStart {
  readonly name: string;
  readonly kind: SpanKind;
  readonly attributes: SpanAttributes;
}

/** Addresses of webhooks hold secrets in their paths and queries, and mail addresses are people's: only hosts are told. */
function startOf({ url, method = 'POST' }: WebhookRequest): AttemptStart {
  const sink = sinkAddress(url);
  if (sink !== undefined) {
    const { scheme, name, hosts } = sink;
    const attributes = {
      'messaging.system': scheme,
      'messaging.operation.type': 'send',
      'messaging.operation.name': scheme === 'kafka' ? 'send' : 'publish',
      'messaging.destination.name': name,
      'server.address': hosts[0]!.hostname,
      'server.port': hosts[0]!.port,
    };
    return { name: `send ${name}`, kind: 'producer', attributes };
  }
  const scheme = schemeOf(url).slice(0, -1);
  if (scheme === 'mailto') return { name: 'send mail', kind: 'client', attributes: { 'url.scheme': scheme } };
  const { hostname, port } = URL.parse(url) ?? { hostname: '', port: '' };
  if (scheme === 's3')
    return {
      name: 'S3/PutObject',
      kind: 'client',
      attributes: { 'rpc.method': 'S3/PutObject', 'aws.s3.bucket': hostname },
    };
  const attributes = {
    'http.request.method': method,
    'url.scheme': scheme,
    'url.full': `${scheme}://${hostname}${port && `:${port}`}/REDACTED`,
    'server.address': hostname,
    'server.port': Number(port) || (scheme === 'http' ? 80 : 443),
  };
  return { name: method, kind: 'client', attributes };
}

function endAttempt(span: TraceSpan, { statusCode, error, code, overloaded }: Sent): void {
  if (statusCode !== undefined) span.set({ 'http.response.status_code': statusCode });
  if (error !== undefined) span.fail(failureType(statusCode, code, overloaded));
  span.end();
}

function failureType(statusCode: number | undefined, code: string | undefined, overloaded: boolean): string {
  if (statusCode !== undefined) return String(statusCode);
  if (overloaded) return 'timeout';
  return code || '_OTHER';
}
