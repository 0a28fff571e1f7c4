import { fastify } from 'fastify';
import { expect, it } from 'vitest';
import { recordingTracer } from '../../test/stages/recording-tracer.ts';
import { addRequestSpans, traceOf } from './request-spans.ts';

const CALLER = { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` };

function stage() {
  const tracer = recordingTracer();
  const app = fastify();
  addRequestSpans(app, tracer);
  app.get('/fine/:id', (request, reply) => reply.send(traceOf(request.raw)));
  app.get('/broken', () => Promise.reject(new Error('a secret')));
  app.get('/refused', (_, reply) => reply.code(404).send('no'));
  app.get('/healthz', (_, reply) => reply.send('ok'));
  return { app, tracer };
}

it('gives what a request does the span of the request', async () => {
  const { app, tracer } = stage();
  const { body } = await app.inject({ url: '/fine/a-secret', headers: CALLER });
  expect(JSON.parse(body)).toEqual(tracer.spans[0]!.context);
  expect(tracer.spans).toMatchObject([{ name: 'GET /fine/:id', parent: CALLER, ends: 1, failed: undefined }]);
  expect(tracer.spans[0]!.attributes).toEqual({
    'http.request.method': 'GET',
    'http.route': '/fine/:id',
    'url.path': '/fine/REDACTED',
    'url.scheme': 'http',
    'network.protocol.version': '1.1',
    'server.address': 'localhost',
    'server.port': 80,
    'http.response.status_code': 200,
  });
});

it('fails for an answer of 500 or more, with the status alone, and not for what the caller did wrong', async () => {
  const { app, tracer } = stage();
  for (const url of ['/broken', '/refused', '/nowhere/a-secret']) await app.inject({ url });
  expect(tracer.spans.map(({ name, failed, ends }) => [name, failed, ends])).toEqual([
    ['GET /broken', '500', 1],
    ['GET /refused', undefined, 1],
    ['GET', undefined, 1],
  ]);
  expect(JSON.stringify(tracer.spans)).not.toContain('secret');
});

it('begins a trace of its own without a header that is valid, and none for a probe', async () => {
  const { app, tracer } = stage();
  await app.inject({ url: '/refused', headers: { traceparent: 'no context' } });
  await app.inject({ url: '/healthz', headers: CALLER });
  expect(tracer.spans).toMatchObject([{ name: 'GET /refused', parent: undefined }]);
});
