/** What passes through a relay in both directions while a session lasts, and the channel that is only between it and its client. */
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../test/stages/fake-clock.ts';
import { until } from '../../test/stages/receiver.ts';
import type { ChannelNote } from './channel.ts';
import { type Relay, relay } from './relay.ts';

/** A relay between a client, whose lines the test writes and reads, and a server that answers by path. */
function session(
  answers: Readonly<Record<string, (body: Message, signal: AbortSignal) => unknown>>,
  options: Partial<Relay> = {},
) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const [lines, complaints, asked]: [Message[], string[], [string, Message, Record<string, string>][]] = [[], [], []];
  createInterface({ input: output }).on('line', (line) => lines.push(JSON.parse(line) as Message));
  const ended = relay({
    url: 'http://sluice.test',
    key: 'k',
    input,
    output,
    fetch: async (url, init) => {
      const { pathname } = new URL(url instanceof Request ? url.url : url);
      const body = JSON.parse(init!.body as string) as Message;
      asked.push([pathname, body, init!.headers as Record<string, string>]);
      const answer = await answers[pathname]!(body, init!.signal!);
      return answer instanceof Response ? answer : Response.json(answer);
    },
    complain: (message) => complaints.push(message),
    ...options,
  });
  return {
    lines,
    complaints,
    asked,
    ended,
    input,
    say: (message: object) => input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`),
    end: () => input.end(),
  };
}

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: { readonly content: string; readonly meta: object };
  readonly [field: string]: unknown;
}

it('gives a request up that its client takes back, or that is under way when it goes, and answers neither', async () => {
  const given = new Map<unknown, AbortSignal>();
  const never = ({ id }: Message, signal: AbortSignal) => {
    given.set(id, signal);
    return new Promise((_, fail) => signal.addEventListener('abort', () => fail(new Error('aborted'))));
  };
  const on = session({ '/mcp': never });
  for (const id of [1, 'two', 3]) on.say({ id, method: 'tools/call' });
  on.say({ method: 'notifications/cancelled', params: { requestId: 'two' } });
  await until(() => given.get('two')?.aborted === true);
  expect([given.get(1)!.aborted, given.get(3)!.aborted]).toEqual([false, false]);
  on.end();
  await on.ended;
  expect([given.get(1)!.aborted, given.get(3)!.aborted]).toEqual([true, true]);
  // What a client takes back is our business: the server sees the connection close.
  expect(on.asked.map(([, { method }]) => method)).toEqual(['tools/call', 'tools/call', 'tools/call']);
  expect([on.lines, on.complaints]).toEqual([[], []]);
});

it('passes over blank lines', async () => {
  const on = session({ '/mcp': ({ id }) => ({ jsonrpc: '2.0', id, result: {} }) });
  on.input.write('\n  \n');
  on.say({ id: 1, method: 'ping' });
  await until(() => on.lines.length > 0);
  on.end();
  await on.ended;
  expect([on.lines, on.asked.length]).toEqual([[{ jsonrpc: '2.0', id: 1, result: {} }], 1]);
});

it('tells people of a notification that did not arrive: nobody waits for its answer', async () => {
  const away = () => Response.json({ code: 'unavailable', message: 'The store is away.' }, { status: 503 });
  const on = session({ '/mcp': away });
  on.say({ method: 'notifications/progress' });
  await until(() => on.complaints.length > 0);
  on.end();
  await on.ended;
  expect([on.lines, on.complaints]).toEqual([[], ['unavailable: The store is away.']]);
});

describe('with a channel', () => {
  const channel = () => {
    const notes: ChannelNote[] = [{ agent: 'me' }];
    const complaints: string[] = [];
    return {
      notes: { read: async () => notes.at(-1)!, write: async (note: ChannelNote) => void notes.push(note) },
      clock: { ...fakeClock(), sleep: async () => {} },
      complain: (message: string) => complaints.push(message),
      kept: notes,
      complaints,
    };
  };
  const initialized = ({ id, method }: Message) =>
    method === 'initialize'
      ? { jsonrpc: '2.0', id, result: { capabilities: { tools: {}, experimental: { x: {} } }, instructions: 'Look.' } }
      : new Response('');
  const text = JSON.stringify({ notice: 'Strangers.', at: 'now', matches: 3 });
  const never = () => new Promise<never>(() => {});

  it('declares it in the handshake, pushes what the server keeps, and acknowledges it once the client has read it', async () => {
    const own = channel();
    let open: object | undefined = { wake: { id: 'dlv_1', text } };
    const taken = Promise.withResolvers<void>();
    const on = session(
      {
        '/mcp': initialized,
        '/api.ListWebhooks': () => ({ webhooks: [{ url: 'wake:somebody else' }] }),
        '/api.CreateWebhook': () => ({}),
        '/api.NextWake': () => open ?? never(),
        '/api.AcknowledgeWake': () => {
          open = undefined;
          taken.resolve();
          return { first: true };
        },
      },
      { channel: own },
    );
    on.say({ id: 1, method: 'initialize' });
    await until(() => on.lines.length === 1);
    expect(on.lines[0]!['result']).toEqual({
      capabilities: { tools: {}, experimental: { x: {}, 'claude/channel': {} } },
      instructions: expect.stringMatching(/^Look\. New matches arrive .*<channel source="sluice"/) as string,
    });
    expect(on.asked).toHaveLength(1);
    on.say({ method: 'notifications/initialized' });
    await until(() => on.lines.length === 3);
    const [, event, ping] = on.lines;
    expect(event).toMatchObject({
      jsonrpc: '2.0',
      method: 'notifications/claude/channel',
      params: { meta: { wake_id: 'dlv_1' } },
    });
    expect(JSON.parse(event!.params!.content)).toMatchObject({ matches: 3 });
    expect(ping).toEqual({ jsonrpc: '2.0', id: expect.any(String) as string, method: 'ping' });
    expect(own.kept.at(-1)).toEqual({ agent: 'me' });
    // An answer to nothing that we asked is for the server.
    on.say({ id: 'another', result: {} });
    on.say({ id: ping!.id, result: {} });
    await taken.promise;
    expect(own.kept.at(-1)).toEqual({ agent: 'me', read: 'dlv_1' });
    on.end();
    await on.ended;
    const headers = { 'content-type': 'application/json', authorization: 'Bearer k' };
    expect(on.asked.filter(([path]) => path.startsWith('/api.Create') || path.startsWith('/api.Ack'))).toEqual([
      ['/api.CreateWebhook', { url: 'wake:me', format: 'wake', description: 'sluice mcp --channel' }, headers],
      ['/api.AcknowledgeWake', { wake_id: 'dlv_1' }, headers],
    ]);
    const passed = on.asked.filter(([path]) => path === '/mcp').map(([, { id, method }]) => id ?? method);
    expect(passed).toEqual([1, 'notifications/initialized', 'another']);
    expect([on.lines.length, on.complaints, own.complaints]).toEqual([3, [], []]);
  });

  it('is told of where the server says nothing itself', async () => {
    const answer = { jsonrpc: '2.0', id: 1, result: {} };
    const on = session({ '/mcp': () => answer }, { channel: channel() });
    on.say({ id: 1, method: 'initialize' });
    await until(() => on.lines.length > 0);
    on.end();
    await on.ended;
    expect(on.lines[0]!['result']).toEqual({
      capabilities: { experimental: { 'claude/channel': {} } },
      instructions: expect.stringMatching(/^New matches arrive/) as string,
    });
  });

  it('passes on why the server refuses the handshake', async () => {
    const answer = { jsonrpc: '2.0', id: 1, error: { code: -32_602, message: 'There is no such version.' } };
    const on = session({ '/mcp': () => answer }, { channel: channel() });
    on.say({ id: 1, method: 'initialize' });
    await until(() => on.lines.length > 0);
    on.end();
    await on.ended;
    expect(on.lines).toEqual([answer]);
  });

  it('ends when the server refuses it, says why, and the session goes on', async () => {
    const own = channel();
    const refused = () =>
      Response.json({ code: 'permission_denied', message: 'This key only reads.' }, { status: 403 });
    const on = session({ '/mcp': initialized, '/api.ListWebhooks': refused }, { channel: own });
    on.say({ method: 'notifications/initialized' });
    await until(() => own.complaints.length > 0);
    expect(own.complaints).toEqual(['The channel has ended. permission_denied: This key only reads.']);
    on.say({ id: 1, method: 'initialize' });
    await until(() => on.lines.length === 1);
    on.end();
    await on.ended;
  });

  it('waits for a server that is away, and says where it looked for it', async () => {
    const own = channel();
    const away = () => {
      throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') });
    };
    let times = 0;
    const on = session(
      { '/mcp': initialized, '/api.ListWebhooks': () => (++times < 2 ? away() : never()) },
      { channel: own },
    );
    on.say({ method: 'notifications/initialized' });
    await until(() => times === 2);
    expect(own.complaints).toEqual([
      'The channel waits. There is no answer from http://sluice.test: is the server running? (connect ECONNREFUSED)',
    ]);
    on.end();
    await on.ended;
  });
});
