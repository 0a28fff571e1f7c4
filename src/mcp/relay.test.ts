import { getEventListeners } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { fakeClock } from '../../test/stages/fake-clock.ts';
import { relay } from './relay.ts';

/** Returns what the relay writes for these lines, one answer each, when the server answers every message this way. */
async function relayed(lines: readonly string[], answer: () => Response): Promise<unknown[]> {
  const output = new PassThrough();
  const answered = Promise.withResolvers<void>();
  let seen = '';
  output.on('data', (chunk: Buffer) => {
    seen += chunk.toString();
    if (seen.split('\n').length > lines.length) answered.resolve();
  });
  async function* input() {
    yield `${lines.join('\n')}\n`;
    await answered.promise;
  }
  await relay({
    url: 'http://sluice.test',
    key: 'k',
    input: Readable.from(input()),
    output,
    fetch: async () => answer(),
    complain: () => {},
  });
  return seen
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}

const ping = (id: number) => JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' });
const VERSION = 'io.modelcontextprotocol/protocolVersion';
const stream = (body: string) => new Response(body, { headers: { 'content-type': 'text/event-stream' } });

it('refuses lines that are no message, and goes on with the next', async () => {
  const pong = () => Response.json({ jsonrpc: '2.0', id: 7, result: {} });
  const codeOf = (message: unknown) => (message as { error?: { code: number } }).error?.code;
  const answers = await relayed(['null', '1', '"a"', '{"half":', ping(7)], pong);
  expect(answers.map(codeOf)).toEqual([-32_600, -32_600, -32_600, -32_700, undefined]);
  expect(answers).toContainEqual({ jsonrpc: '2.0', id: 7, result: {} });
});

it('reads event streams as they are defined: data on several lines, comments, any line end', async () => {
  const body = ': hello\r\nid: 1\r\ndata: {"jsonrpc":"2.0",\r\ndata: "id":7,"result":{}}\r\n\r\n';
  expect(await relayed([ping(7)], () => stream(body))).toEqual([{ jsonrpc: '2.0', id: 7, result: {} }]);
});

it('listens no longer for the end of a session than a ping of the channel lasts', async () => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  output.on('data', (line: Buffer) => {
    const { id, method } = JSON.parse(line.toString()) as { id?: string; method?: string };
    if (method === 'ping') input.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: {} })}\n`);
  });
  const listeners: number[] = [];
  const answers: Record<string, (signal: AbortSignal) => unknown> = {
    '/api.ListWebhooks': () => ({ webhooks: [{ url: 'wake:me' }] }),
    '/api.NextWake': (signal) => {
      listeners.push(getEventListeners(signal, 'abort').length);
      // The session ends while the channel waits for the fifth wake.
      if (listeners.length === 5) return new Promise(() => input.end());
      const text = JSON.stringify({ notice: '', at: '', matches: 2 });
      return { wake: { id: `wake_${listeners.length}`, text } };
    },
  };
  const running = relay({
    url: 'http://sluice.test',
    key: 'k',
    input,
    output,
    fetch: async (url, init) => {
      const { pathname } = new URL(url instanceof Request ? url.url : url);
      return pathname === '/mcp' ? new Response('') : Response.json((await answers[pathname]?.(init!.signal!)) ?? {});
    },
    complain: () => {},
    channel: {
      notes: { read: async () => ({ agent: 'me' }), write: async () => {} },
      clock: { ...fakeClock(), sleep: async () => {} },
      complain: () => {},
    },
  });
  input.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
  await running;
  expect(listeners).toEqual(Array.from({ length: 5 }, () => listeners[0]));
});

/** What the server is asked for each line: the headers by which a proxy in front of it can tell messages apart. */
async function headersOf(lines: readonly object[], key?: string): Promise<Record<string, string>[]> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const seen: Record<string, string>[] = [];
  const sent: unknown[] = [];
  const running = relay({
    url: 'http://sluice.test',
    key,
    input,
    output,
    fetch: async (url, init) => {
      seen.push({ ...(init!.headers as Record<string, string>) });
      sent.push([url, init!.method, JSON.parse(init!.body as string)]);
      const { id, method } = lines[seen.length - 1] as { id?: number; method: string };
      const result = method === 'initialize' ? { protocolVersion: '2025-06-18' } : {};
      return id === undefined ? new Response('') : Response.json({ jsonrpc: '2.0', id, result });
    },
    complain: () => {},
  });
  for (const line of lines) {
    const answered = 'id' in line ? new Promise((resolve) => output.once('data', resolve)) : undefined;
    input.write(`${JSON.stringify(line)}\n`);
    await answered;
  }
  input.end();
  await running;
  expect(sent).toEqual(lines.map((line) => ['http://sluice.test/mcp', 'POST', line]));
  return seen;
}

const ALWAYS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

it('says in headers what a message asks, by which key, and of which version', async () => {
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'status' } };
  expect(await headersOf([call], 'k')).toEqual([
    { ...ALWAYS, authorization: 'Bearer k', 'mcp-method': 'tools/call', 'mcp-name': 'status' },
  ]);
  const read = { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: 'sluice://rules/größe' } };
  const version = { jsonrpc: '2.0', id: 1, method: 'ping', params: { _meta: { [VERSION]: '2026-07-28' } } };
  const answer = { jsonrpc: '2.0', id: 1, result: {} };
  expect((await headersOf([read]))[0]).toEqual({
    ...ALWAYS,
    'mcp-method': 'resources/read',
    'mcp-name': `=?base64?${Buffer.from('sluice://rules/größe').toString('base64')}?=`,
  });
  expect((await headersOf([version]))[0]).toEqual({
    ...ALWAYS,
    'mcp-method': 'ping',
    'mcp-protocol-version': '2026-07-28',
  });
  // What the client answers has no method.
  expect((await headersOf([answer]))[0]).toEqual(ALWAYS);
});

it('names the version that an older client has agreed on in every message after', async () => {
  const initialize = { jsonrpc: '2.0', id: 1, method: 'initialize', params: {} };
  const later = (id: number, meta = {}) => ({ jsonrpc: '2.0', id, method: 'ping', params: { _meta: meta } });
  const seen = await headersOf([initialize, later(2), later(3, { [VERSION]: '2026-07-28' }), later(4)]);
  expect(seen.map((headers) => headers['mcp-protocol-version'])).toEqual([
    undefined,
    '2025-06-18',
    '2026-07-28',
    '2025-06-18',
  ]);
});

it('says in words of its own why there is no answer', async () => {
  const messageOf = async (answer: () => Response) => {
    const [first] = await relayed([ping(7)], answer);
    return (first as { id: number; error: { code: number; message: string } }).error;
  };
  const refused = () => Response.json({ code: 'unauthenticated', message: 'The key is wrong.' }, { status: 401 });
  expect(await messageOf(refused)).toEqual({
    code: -32_000,
    message: 'unauthenticated: The key is wrong. Set SLUICE_API_KEY to a key of http://sluice.test.',
  });
  const away = () => {
    throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') });
  };
  expect((await messageOf(away)).message).toBe(
    'There is no answer from http://sluice.test: is the server running? (connect ECONNREFUSED)',
  );
  const broken = () => Response.json({ code: 'unavailable', message: 'The store is away.' }, { status: 503 });
  expect((await messageOf(broken)).message).toBe('unavailable: The store is away.');
});
