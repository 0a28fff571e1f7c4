/** A subscriber that leaves gives its place back, however and whenever it leaves. */
import { once } from 'node:events';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { OPERATOR_KEY, startApp } from '../stages/http-app.ts';
import { NEWEST } from './clients.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** As many as a key may have. */
const ALL = 10;
/** A body of this length is read in several turns of the event loop. */
const LONG = 'x'.repeat(40_000);

function subscribe(url: string, padding = ''): ClientRequest {
  const method = 'subscriptions/listen';
  const meta = {
    'io.modelcontextprotocol/protocolVersion': NEWEST,
    'io.modelcontextprotocol/clientInfo': { name: 'one that leaves', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const params = { notifications: { resourceSubscriptions: ['sluice://llms.txt'] }, padding, _meta: meta };
  const request = httpRequest(`${url}/mcp`, {
    method: 'POST',
    agent: false,
    headers: {
      authorization: `Bearer ${OPERATOR_KEY}`,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-protocol-version': NEWEST,
      'mcp-method': method,
    },
  });
  request.on('error', () => {});
  request.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
  return request;
}

/** The first words of the answer to one more subscriber, which leaves again. */
async function oneMore(url: string): Promise<string> {
  const request = subscribe(url);
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  answer.on('error', () => {});
  const [words] = (await once(answer, 'data')) as [Buffer];
  request.destroy();
  return words.toString();
}

it('after its request was collected as garbage', async () => {
  await using app = await startApp();
  const url = await app.http.listen({ host: '127.0.0.1', port: 0 });
  const open = Array.from({ length: ALL }, () => subscribe(url));
  await Promise.all(open.map((request) => once(request, 'response')));
  expect(await oneMore(url)).toContain('10 open subscriptions');
  collectGarbage();
  for (const request of open) request.destroy();
  await expect.poll(() => oneMore(url)).toContain('acknowledged');
});

it('while its body is read', async () => {
  await using app = await startApp();
  const url = await app.http.listen({ host: '127.0.0.1', port: 0 });
  app.http.server.on('request', (request: IncomingMessage) => {
    const isLong = Number(request.headers['content-length']) > LONG.length;
    if (isLong) request.once('end', () => request.socket.destroy());
  });
  const left = () => new Promise((done) => void subscribe(url, LONG).once('close', done));
  await Promise.all(Array.from({ length: ALL }, left));
  await expect.poll(() => oneMore(url)).toContain('acknowledged');
});
