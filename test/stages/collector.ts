/** A collector of traces: takes OTLP over HTTP as JSON, and refuses what is not of the protocol's form. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { z } from 'zod';

const hex = (digits: number) => z.string().regex(new RegExp(`^[0-9a-f]{${digits}}$`));
const value = z.strictObject({
  stringValue: z.string().optional(),
  intValue: z.union([z.number(), z.string()]).optional(),
  doubleValue: z.number().optional(),
  boolValue: z.boolean().optional(),
});
const attributes = z
  .array(z.strictObject({ key: z.string(), value }))
  .transform((pairs) => Object.fromEntries(pairs.map((pair) => [pair.key, Object.values(pair.value)[0]])));
const KINDS = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'] as const;

const span = z.object({
  traceId: hex(32),
  spanId: hex(16),
  parentSpanId: hex(16).optional(),
  traceState: z.string().optional(),
  name: z.string().min(1),
  kind: z
    .int()
    .min(1)
    .max(5)
    .transform((kind) => KINDS[kind]!),
  startTimeUnixNano: z.string().regex(/^\d+$/),
  endTimeUnixNano: z.string().regex(/^\d+$/),
  attributes,
  links: z.array(z.object({ traceId: hex(32), spanId: hex(16) })),
  status: z.object({ code: z.int().min(0).max(2) }),
});

const request = z.strictObject({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes }),
      scopeSpans: z.array(z.object({ scope: z.object({ name: z.string() }), spans: z.array(span) })),
    }),
  ),
});

export type CollectedSpan = z.output<typeof span>;

export interface Collector extends AsyncDisposable {
  readonly url: string;
  readonly spans: CollectedSpan[];
  readonly resources: Record<string, unknown>[];
  /** The headers of every request. */
  readonly headers: IncomingMessage['headers'][];
  /** Everything that came, as text. */
  readonly text: string[];
}

/** Answers every request in time, or with a status of the test's own. */
export async function openCollector(status: () => number = () => 200): Promise<Collector> {
  const [spans, resources, headers, text]: [
    CollectedSpan[],
    Record<string, unknown>[],
    Collector['headers'],
    string[],
  ] = [[], [], [], []];
  const take = (asked: IncomingMessage, body: string): { code: number; text: string } => {
    const read = request.safeParse(JSON.parse(body));
    const isOtlp = asked.method === 'POST' && asked.url === '/v1/traces' && read.success;
    const code = isOtlp ? status() : 400;
    if (code === 200 && read.success) {
      headers.push(asked.headers);
      text.push(body);
      for (const { resource, scopeSpans } of read.data.resourceSpans) {
        resources.push(resource.attributes);
        spans.push(...scopeSpans.flatMap((scope) => scope.spans));
      }
    }
    return { code, text: read.success ? '{}' : read.error.message };
  };
  const server = createServer((asked, answer) => {
    const parts: Buffer[] = [];
    asked.on('data', (part: Buffer) => parts.push(part));
    asked.once('end', () => {
      const bytes = Buffer.concat(parts);
      const told = take(asked, (asked.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString());
      answer.writeHead(told.code, { 'content-type': 'application/json' }).end(told.text);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    resources,
    headers,
    text,
    [Symbol.asyncDispose]: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}
