/** The client against servers that misbehave in every way; that it fits the real one is tested in `test/client.test.ts`. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createClient } from './client.ts';
import { SluiceError } from './error.ts';
import type { ClientOptions } from './transport.ts';

type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void;

interface Served extends AsyncDisposable {
  readonly url: string;
  readonly requests: { readonly url: string; readonly headers: IncomingMessage['headers']; readonly body: string }[];
  /** Milliseconds that the client waited, none of which really passed. */
  readonly waits: number[];
  client(options?: Partial<ClientOptions>): ReturnType<typeof createClient>;
}

/** Answers the first request with the first handler and so on; the last one stays. */
async function serve(...handlers: Handler[]): Promise<Served> {
  const requests: Served['requests'] = [];
  const waits: number[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on('end', () => {
      requests.push({ url: request.url!, headers: request.headers, body });
      handlers[Math.min(requests.length, handlers.length) - 1]!(request, response, body);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    requests,
    waits,
    client: (options) =>
      createClient({
        url,
        key: 'sk_test',
        random: () => 1,
        wait: async (milliseconds) => void waits.push(milliseconds),
        ...options,
      }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

const answer =
  (status: number, body: unknown, headers: Record<string, string> = {}): Handler =>
  (_, response) =>
    void response
      .writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'req_1', ...headers })
      .end(typeof body === 'string' ? body : JSON.stringify(body));
const failure = (status: number, code: string, headers?: Record<string, string>): Handler =>
  answer(status, { code, message: `It is ${code}.`, details: { issues: [{ path: 'a', message: 'b' }] } }, headers);
const cutOff: Handler = (request) => void request.socket.destroy();

describe('a call', () => {
  it('carries the key, and its input where the operation has it', async () => {
    await using server = await serve(answer(200, { ok: true }));
    const client = server.client();
    await client.rules.get({ rule_id: 'rule_1&x' });
    await client.rules.delete({ rule_id: 'rule_1' });
    await client.events.push({ platform: 'x', lines: '{}\n{}' });
    await client.status();
    expect(server.requests.map(({ url, body }) => [url, body])).toEqual([
      ['/api.GetRule?rule_id=rule_1%26x', ''],
      ['/api.DeleteRule', '{"rule_id":"rule_1"}'],
      ['/events?platform=x', '{}\n{}'],
      ['/api.Status', ''],
    ]);
    expect(server.requests[2]!.headers).toMatchObject({
      authorization: 'Bearer sk_test',
      'content-type': 'application/x-ndjson',
    });
  });

  it('marks itself as the console where there is no key', async () => {
    await using server = await serve(answer(200, {}));
    await createClient({ url: `${server.url}/` }).status();
    expect(server.requests[0]!.headers).toMatchObject({ 'x-sluice-session': '1' });
    expect(server.requests[0]!.headers).not.toHaveProperty('authorization');
  });

  it('fails with what the server says', async () => {
    await using server = await serve(failure(404, 'not_found'));
    const error = await server
      .client()
      .rules.get({ rule_id: 'r' })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SluiceError);
    expect(error).toMatchObject({
      code: 'not_found',
      status: 404,
      message: 'It is not_found.',
      requestId: 'req_1',
      issues: [{ path: 'a', message: 'b' }],
    });
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    ['an answer of something else', answer(404, '<html>'), 'not_found', 404],
    ['an answer that is no JSON', answer(200, '<html>'), 'internal', 200],
    ['a redirect', answer(302, '', { location: '/elsewhere' }), 'no_answer', 0],
  ])('fails in plain words on %s', async (_, handler, code, status) => {
    await using server = await serve(handler);
    await expect(server.client({ retries: 0 }).status()).rejects.toMatchObject({ code, status });
  });

  it('ends when its signal does, without trying again', async () => {
    const stop = new AbortController();
    await using server = await serve(() => stop.abort(new Error('enough')));
    await expect(server.client().rules.list({}, { signal: stop.signal })).rejects.toThrow('enough');
    expect(server.requests).toHaveLength(1);
  });

  it('gives up on a server that does not begin to answer', async () => {
    await using server = await serve(() => {});
    const told: string[] = [];
    const client = server.client({ timeout: 20, retries: 1, onRetry: ({ code }) => void told.push(code) });
    await expect(client.status()).rejects.toMatchObject({ code: 'no_answer' });
    // The requests are not counted: one that is given up soon enough never reaches the server.
    expect(told).toEqual(['no_answer']);
  });
});

describe('trying again', () => {
  it('waits as long as the server asks', async () => {
    await using server = await serve(
      failure(429, 'resource_exhausted', { 'retry-after': '7' }),
      failure(503, 'unavailable'),
      failure(503, 'unavailable'),
      answer(200, { rules: [] }),
    );
    const told: string[] = [];
    const client = server.client({ onRetry: (error, seconds) => told.push(`${error.code} ${seconds.toFixed(2)}`) });
    expect(await client.rules.list()).toEqual({ rules: [] });
    expect(server.waits.map(Math.round)).toEqual([7_700, 500, 1_000]);
    expect(told).toEqual(['resource_exhausted 7.70', 'unavailable 0.50', 'unavailable 1.00']);
  });

  it.each([
    ['a limit that waiting does not lift', failure(429, 'resource_exhausted')],
    ['a wait of minutes', failure(429, 'resource_exhausted', { 'retry-after': '600' })],
    ['a mistake of the caller', failure(400, 'invalid_argument')],
    ['a defect of the server', failure(500, 'internal')],
  ])('does not try again after %s', async (_, handler) => {
    await using server = await serve(handler);
    await expect(server.client().rules.list()).rejects.toBeInstanceOf(SluiceError);
    expect(server.requests).toHaveLength(1);
  });

  it('sends a rule again with the same idempotency key when the answer is lost', async () => {
    await using server = await serve(cutOff, answer(200, { rule_id: 'rule_1', platforms: {} }));
    const input = { name: 'n', intent: '', platforms: ['x' as const], overrides: { x: 'lava' } };
    expect(await server.client().rules.create(input)).toMatchObject({ rule_id: 'rule_1' });
    const [first, second] = server.requests.map(({ headers }) => headers['idempotency-key']);
    expect(first).toMatch(/^[\da-f]{32}$/);
    expect(second).toBe(first);
    await server.client().rules.create(input, { idempotencyKey: 'mine' });
    expect(server.requests[2]!.headers['idempotency-key']).toBe('mine');
  });

  it('does not repeat what may have been done, unless it was refused', async () => {
    await using lost = await serve(cutOff);
    await expect(lost.client().keys.create({ name: 'k' })).rejects.toMatchObject({ code: 'no_answer' });
    expect(lost.requests).toHaveLength(1);
    await using refused = await serve(
      failure(503, 'unavailable', { 'retry-after': '1' }),
      answer(200, { id: 'key_1' }),
    );
    expect(await refused.client().keys.create({ name: 'k' })).toMatchObject({ id: 'key_1' });
  });
});

describe('pages', () => {
  it('follow the cursor to the last one', async () => {
    await using server = await serve(
      answer(200, { matches: [{ id: '3' }, { id: '2' }], next_cursor: 'c1', latest_cursor: 'l' }),
      answer(200, { matches: [{ id: '1' }], latest_cursor: 'l' }),
    );
    const ids: string[] = [];
    for await (const page of server.client().matches.pages({ limit: 2 })) ids.push(...page.map(({ id }) => id));
    expect(ids).toEqual(['3', '2', '1']);
    expect(server.requests.map(({ body }) => JSON.parse(body) as unknown)).toEqual([
      { limit: 2 },
      { limit: 2, cursor: 'c1' },
    ]);
  });
});

/** Sends what it is given as a stream of events, then ends as told. */
const stream =
  (text: string, end: 'close' | 'cut' | 'stay' = 'close'): Handler =>
  (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(text, () => {
      if (end === 'close') response.end();
      if (end === 'cut') response.destroy();
    });
  };
const event = (n: number): string => `id: c${n}\nevent: match\ndata: {"id":"m${n}"}\n\n`;

describe('a stream', () => {
  it('goes on after the last match through ends and cuts', async () => {
    await using server = await serve(
      answer(200, { matches: [], latest_cursor: 'c0' }),
      stream('retry: 1\nid: c0a\n\n'),
      stream(`${event(1)}${event(2)}: heartbeat\nid: c2a\n\nid: c3\nevent: match\ndata: {"id":`, 'cut'),
      failure(503, 'unavailable', { 'retry-after': '2' }),
      cutOff,
      stream(`event: gap\ndata: {"cause":"upstream"}\n\n${event(3)}`),
      stream(event(4), 'stay'),
    );
    const [ids, gaps]: [string[], unknown[]] = [[], []];
    const matches = server.client().matches.stream({ rule_id: 'r', onGap: (gap) => gaps.push(gap) });
    for await (const match of matches) if (ids.push(match.id) === 4) break;
    expect(ids).toEqual(['m1', 'm2', 'm3', 'm4']);
    expect(gaps).toEqual([{ cause: 'upstream' }]);
    expect(matches.cursor).toBe('c4');
    expect(server.requests.slice(1).map(({ url }) => new URLSearchParams(url.split('?')[1]).get('cursor'))).toEqual([
      'c0',
      'c0a',
      'c2a',
      'c2a',
      'c2a',
      'c3',
    ]);
    expect(server.requests[1]!.url).toContain('rule_id=r');
  });

  it('stays away longer and longer from a server that greets and hangs up', async () => {
    await using server = await serve(
      ...Array.from({ length: 4 }, () => stream('retry: 1000\n\n')),
      stream(event(1), 'stay'),
    );
    for await (const match of server.client().matches.stream({ cursor: 'c0' })) if (match.id === 'm1') break;
    expect(server.waits).toEqual([250, 1_000, 2_000, 4_000]);
  });

  it('counts a connection without a sign of life as lost', async () => {
    await using server = await serve(stream(event(1), 'stay'), stream(event(2), 'stay'));
    const ids: string[] = [];
    for await (const { id } of server.client().matches.stream({ cursor: 'c0', idleTimeout: 20 }))
      if (ids.push(id) === 2) break;
    expect(ids).toEqual(['m1', 'm2']);
  });

  it('fails on what does not pass, whenever it comes', async () => {
    await using server = await serve(stream(event(1)), failure(401, 'unauthenticated'));
    const ids: string[] = [];
    await expect(async () => {
      for await (const { id } of server.client().matches.stream({ cursor: 'c0' })) ids.push(id);
    }).rejects.toMatchObject({ code: 'unauthenticated' });
    expect(ids).toEqual(['m1']);
  });

  it('fails soon when there is no server to begin with', async () => {
    await using server = await serve(cutOff);
    await expect(async () => {
      for await (const _ of server.client({ retries: 2 }).matches.stream({ cursor: 'c0' })) break;
    }).rejects.toMatchObject({ code: 'no_answer' });
    expect(server.requests).toHaveLength(3);
  });

  it('ends quietly when its signal does', async () => {
    await using server = await serve(stream(event(1), 'stay'));
    const stop = new AbortController();
    const ids: string[] = [];
    for await (const { id } of server.client().matches.stream({ cursor: 'c0', signal: stop.signal })) {
      ids.push(id);
      stop.abort();
    }
    expect(ids).toEqual(['m1']);
  });
});
