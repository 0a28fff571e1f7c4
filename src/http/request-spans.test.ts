import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { fastify } from 'fastify';
import { expect, it } from 'vitest';
import { until } from '../../test/stages/receiver.ts';
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
  app.get('/stream', (_, reply) => {
    reply.hijack();
    reply.raw.writeHead(200).write('one');
  });
  app.get('/slow', () => new Promise(() => {}));
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

it('names a method that the conventions do not know after none of them', async () => {
  const { app, tracer } = stage();
  app.addHttpMethod('PROPFIND');
  app.route({ method: 'PROPFIND', url: '/files', handler: (_, reply) => reply.send('') });
  await app.inject({ method: 'PROPFIND' as 'GET', url: '/files' });
  expect(tracer.spans.map(({ name, attributes }) => [name, attributes['http.request.method']])).toEqual([
    ['HTTP /files', '_OTHER'],
  ]);
});

it('says nothing of a parameter or an unknown path, and no port that was not given', async () => {
  const { app, tracer } = stage();
  app.get('/files/:name(^\\w+$)/:part', (_, reply) => reply.send(''));
  await app.inject({ url: '/files/secret/two' });
  await app.inject({ url: '/nowhere/secret' });
  await app.inject({ url: '/refused', headers: { host: 'here' } });
  const [file, nowhere, portless] = tracer.spans.map(({ attributes }) => attributes);
  expect(file).toMatchObject({ 'url.path': '/files/REDACTED/REDACTED' });
  expect(nowhere).toMatchObject({ 'url.path': '/REDACTED' });
  expect(nowhere).not.toHaveProperty('http.route');
  expect(portless).toMatchObject({ 'server.address': 'here' });
  expect(portless).not.toHaveProperty('server.port');
});

it('ends with the connection of a caller that goes away, with a status only where one was sent', async () => {
  const { app, tracer } = stage();
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const ended = (spans: number) => until(() => tracer.spans.filter(({ ends }) => ends === 1).length === spans);
  const stream = connect(port, '127.0.0.1').end('GET /stream HTTP/1.1\r\nhost: a\r\n\r\n');
  await once(stream, 'data');
  stream.destroy();
  await ended(1);
  const slow = connect(port, '127.0.0.1');
  slow.write('GET /slow HTTP/1.1\r\nhost: a\r\n\r\n');
  await until(() => tracer.spans.length === 2);
  slow.destroy();
  await ended(2);
  expect(tracer.spans.map(({ name, attributes }) => [name, attributes['http.response.status_code']])).toEqual([
    ['GET /stream', 200],
    ['GET /slow', undefined],
  ]);
  await app.close();
});
