/** Traces through the whole server, as a collector of OTLP gets them. */
import { describe, expect, it } from 'vitest';
import { type CollectedSpan, openCollector } from '../stages/collector.ts';
import { openReceiver, until } from '../stages/receiver.ts';
import { KEY, PARENT, startTraced, TRACE } from './trace-stage.ts';

const parentOf = (span: string, flags = '01') => ({
  traceparent: `00-${TRACE}-${span}-${flags}`,
  tracestate: 'vendor=1',
});
const rule = { name: 'Storms', intent: '', platforms: ['x'], overrides: { x: 'wildsecretword' } };
const TEXT = 'wildsecretword strikes';

describe('traces', () => {
  it('lead from the request of a push over its match and its commit to the delivery, and go on at both ends', async () => {
    await using collector = await openCollector();
    await using receiver = await openReceiver();
    const server = await startTraced({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-token=collector-secret',
      OTEL_SERVICE_NAME: 'sluice-east',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    });
    await server.call('/api.CreateRule', rule);
    await server.call('/api.CreateWebhook', { url: `${receiver.url}/hooks/path-secret?token=query-secret` });
    await server.push('1', TEXT, parentOf(PARENT));
    await until(() => receiver.received.length === 1);
    await server.stop();

    const ours = collector.spans.filter(({ traceId }) => traceId === TRACE);
    const [request, process, commit, attempt] = chainFrom(ours, PARENT);
    expect([ours.length, request, process, commit, attempt]).toMatchObject([
      4,
      {
        name: 'POST /events',
        kind: 'server',
        traceState: 'vendor=1',
        attributes: {
          'http.request.method': 'POST',
          'http.route': '/events',
          'url.path': '/events',
          'url.scheme': 'http',
          'http.response.status_code': 200,
          'server.address': '127.0.0.1',
          'server.port': Number(new URL(server.url).port),
          'network.protocol.version': '1.1',
        },
      },
      {
        name: 'process x',
        kind: 'consumer',
        attributes: {
          'messaging.system': 'sluice',
          'messaging.operation.type': 'process',
          'messaging.operation.name': 'match',
          'messaging.destination.name': 'x',
          'messaging.batch.message_count': 1,
          'sluice.matches': 1,
          'sluice.rejected': 0,
          'sluice.source': 'push',
        },
      },
      {
        name: 'commit x',
        kind: 'client',
        attributes: { 'db.system.name': 'sqlite', 'db.operation.name': 'commit', 'db.operation.batch.size': 1 },
      },
      {
        name: 'POST',
        kind: 'client',
        attributes: {
          'http.request.method': 'POST',
          'http.response.status_code': 200,
          'server.address': '127.0.0.1',
          'server.port': Number(new URL(receiver.url).port),
          'url.full': `${receiver.url}/REDACTED`,
          'sluice.delivery.id': receiver.received[0]!.headers['webhook-id'],
        },
      },
    ]);
    const { headers } = receiver.received[0]!;
    expect(headers['traceparent']).toBe(`00-${TRACE}-${attempt!.spanId}-01`);
    expect(headers['tracestate']).toBeUndefined();
    expect(collector.headers[0]).toMatchObject({ 'x-token': 'collector-secret' });
    expect(collector.resources[0]).toMatchObject({
      'service.name': 'sluice-east',
      'service.version': expect.stringMatching(/^\d/),
      'service.instance.id': expect.stringMatching(/^[\da-f-]{36}$/),
      'deployment.environment.name': 'test',
    });
    // Neither the rule, nor the post, nor the key, nor what an address hides.
    expect(collector.text.join()).not.toMatch(
      /wildsecretword|trace-test-key|path-secret|query-secret|collector-secret/,
    );
  });

  it('of an agent go on from what the call itself names, else from the request', async () => {
    await using collector = await openCollector();
    const server = await startTraced({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    const call = (id: number, meta: object) =>
      server.call(
        '/mcp',
        { jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'status', arguments: {}, _meta: meta } },
        { accept: 'application/json, text/event-stream', ...parentOf(PARENT) },
      );
    await call(1, {});
    await call(2, { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` });
    await call(3, { traceparent: 'no context' });
    await server.stop();
    const tools = new Map(
      collector.spans
        .filter(({ name }) => name === 'tools/call status')
        .map((span) => [span.attributes['jsonrpc.request.id'], span]),
    );
    const requests = collector.spans.filter(({ name }) => name === 'POST /mcp');
    const ids = new Set(requests.map(({ spanId }) => spanId));
    expect(requests).toMatchObject(Array.from({ length: 3 }, () => ({ traceId: TRACE, parentSpanId: PARENT })));
    const [plain, named, wrong] = ['1', '2', '3'].map((id) => tools.get(id)!) as [
      CollectedSpan,
      CollectedSpan,
      CollectedSpan,
    ];
    expect(named).toMatchObject({
      traceId: 'a'.repeat(32),
      parentSpanId: 'b'.repeat(16),
      kind: 'server',
      attributes: { 'mcp.method.name': 'tools/call', 'gen_ai.tool.name': 'status' },
    });
    const carriers = [plain.parentSpanId, named.links[0]?.spanId, wrong.parentSpanId];
    expect(new Set(carriers)).toEqual(ids);
    expect([plain.traceId, wrong.traceId, named.links.length]).toEqual([TRACE, TRACE, 1]);
  });

  it('hide what stands in a path, and leave probes out', async () => {
    await using collector = await openCollector();
    const server = await startTraced({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    for (const path of [
      '/healthz',
      '/readyz',
      '/metrics',
      '/feeds/feed-secret.atom',
      '/nothing/secret-here?a=b-secret',
    ])
      await fetch(`${server.url}${path}`);
    await server.stop();
    expect(collector.spans.map(({ name, attributes }) => [name, attributes['url.path']])).toEqual([
      ['GET /feeds/:file', '/feeds/REDACTED'],
      ['GET', '/REDACTED'],
    ]);
    expect(collector.text.join()).not.toContain('secret');
  });

  it('that the collector refuses are counted and told once, and cost the push nothing', async () => {
    await using collector = await openCollector(() => 400);
    const server = await startTraced({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '1' });
    const dropped = async () => {
      const answer = await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${KEY}` } });
      return Number(/^sluice_trace_spans_dropped_total (\d+)$/m.exec(await answer.text())![1]);
    };
    expect(await dropped()).toBe(0);
    for (const id of ['1', '2']) {
      const before = await dropped();
      expect(await server.push(id, 'a')).toMatchObject({ accepted: 1 });
      await until(async () => (await dropped()) === before + 3);
    }
    await server.stop();
    const lost = server.warnings.filter((line) => line.includes('Traces'));
    expect(lost).toEqual([expect.stringMatching(/^Traces are being lost: the collector does not take them\./)]);
  });

  it('are not recorded where the caller does not record them, and never where the operator says so', async () => {
    await using collector = await openCollector();
    const variables = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
    const server = await startTraced(variables);
    await server.push('1', 'a', parentOf(PARENT, '00'));
    await server.stop();
    const silent = await startTraced({ ...variables, OTEL_TRACES_SAMPLER: 'always_off' });
    await silent.push('1', 'a', parentOf(PARENT));
    await silent.stop();
    expect(collector.spans).toEqual([]);
  });
});

/** From a parent to its child, and so on. */
function chainFrom(spans: readonly CollectedSpan[], parent: string): CollectedSpan[] {
  const chain: CollectedSpan[] = [];
  for (let next = spans.find(({ parentSpanId }) => parentSpanId === parent); next !== undefined; ) {
    chain.push(next);
    const { spanId } = next;
    next = spans.find(({ parentSpanId }) => parentSpanId === spanId);
  }
  return chain;
}
