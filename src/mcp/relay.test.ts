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
