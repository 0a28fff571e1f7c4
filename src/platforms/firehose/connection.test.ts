/** One connection to the stream: what is asked for, what is read, and when it counts as lost. */
import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { openReceiver } from '../../../test/stages/receiver.ts';
import { type ConnectionRequest, openConnection, StreamConnection } from './connection.ts';

const { signal } = new AbortController();
const START = Date.parse('2026-11-15T08:30:00.000Z');
const frame = (id: number, data = 'x') => `id: 0-${id}\nevent: update\ndata: ${data}\n\n`;
const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
};

function stand({ date, timeoutMs = 120_000 }: { date?: string; timeoutMs?: number } = {}) {
  const clock = fakeClock();
  const body = new PassThrough();
  const answer = Object.assign(body, { headers: date === undefined ? {} : { date } }) as unknown as IncomingMessage;
  const closed = new AbortController();
  const connection = new StreamConnection(clock, answer, timeoutMs, closed);
  return { clock, body, closed, connection };
}

const upstreamAt = (baseUrl: string) => ({
  baseUrl,
  token: () => 'fh_secret',
  clock: fakeClock(),
  random: () => 0,
  log: { info: () => {}, warn: () => {}, error: () => {} },
  count: () => {},
});

describe('opening the stream', () => {
  it.each<[string, ConnectionRequest['resume'], string, string | undefined]>([
    ['after an id', { kind: 'id', id: '0-7' }, '/v1/stream?timeout=120', '0-7'],
    ['some minutes back', { kind: 'since', minutes: 1_439 }, '/v1/stream?timeout=120&since=1439m', undefined],
    ['a day back', { kind: 'since', minutes: 1_440 }, '/v1/stream?timeout=120&since=24h', undefined],
    ['now', { kind: 'live' }, '/v1/stream?timeout=120', undefined],
    ['at an offset', { kind: 'offset', offset: 9, limit: 3 }, '/v1/stream?timeout=120&offset=9&limit=3', undefined],
  ])('%s asks for just that', async (_, resume, path, lastId) => {
    await using server = await openReceiver((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
      response.write(frame(1));
    });
    const connection = await openConnection(upstreamAt(server.url), { resume, timeout: 120 }, signal);
    expect(connection).toBeInstanceOf(StreamConnection);
    expect(server.received[0]).toMatchObject({
      path,
      headers: { accept: 'text/event-stream', 'cache-control': 'no-store', authorization: 'Bearer fh_secret' },
    });
    expect(server.received[0]!.headers['last-event-id']).toBe(lastId);
    (connection as StreamConnection).close();
  });

  it.each([
    [503, 'text/event-stream', '{"message":"Not with fh_secret"}', 'Not with [secret]'],
    [200, 'text/html', '<b>Hello</b>', 'Hello'],
  ])('is refused with status %i and %s', async (status, type, text, message) => {
    await using server = await openReceiver((response) => {
      response.writeHead(status, { 'content-type': type, 'retry-after': '7' });
      response.end(text);
    });
    const request = { resume: { kind: 'live' }, timeout: 120 } as const;
    expect(await openConnection(upstreamAt(server.url), request, signal)).toEqual({ status, message, retryAfter: 7 });
  });
});

describe('a connection', () => {
  it("knows its beginning by Firehose's clock, and how much ours is ahead", () => {
    const { connection } = stand({ date: 'Sun, 15 Nov 2026 08:29:50 GMT' });
    expect([connection.date, connection.skew]).toEqual([START - 10_000, 10_000]);
    expect(stand().connection).toMatchObject({ date: undefined, skew: 0 });
  });

  it('yields frames in order, then comments once, then how it ended', async () => {
    const { body, connection } = stand();
    body.write(`retry: 700\n${frame(1)}: hello\n\n${frame(2)}`);
    await turns();
    expect(await connection.next()).toMatchObject({ frame: { id: '0-1' }, at: new Date(START) });
    expect(await connection.next()).toMatchObject({ frame: { id: '0-2' } });
    expect(await connection.next()).toBe('comment');
    const waiting = connection.next();
    body.end();
    expect(await waiting).toBe('dropped');
    expect(connection.retry).toBe(700);
  });

  it('is quiet when nothing comes for as long as is asked, and not before', async () => {
    const { clock, connection } = stand();
    let told: unknown;
    const listening = (async () => {
      told = await connection.next(1_000);
    })();
    await clock.pass(999);
    expect(told).toBeUndefined();
    await clock.pass(1);
    await listening;
    expect(told).toBe('quiet');
    expect(await connection.next(0)).toBe('quiet');
  });

  it('says when bytes came last, and up to when all of them were read', async () => {
    const { clock, body, connection } = stand();
    expect(connection.lastBytes).toEqual({ at: new Date(START), elapsed: START, readThrough: new Date(START) });
    await clock.pass(5_500);
    body.write(frame(1));
    await turns();
    expect(connection.lastBytes).toEqual({
      at: new Date(START + 5_500),
      elapsed: START + 5_500,
      // Two beats of a second each have passed since these bytes can have come.
      readThrough: new Date(START + 4_000),
    });
    expect(await connection.next()).toMatchObject({ readThrough: new Date(START + 4_000) });
  });

  it('stops reading when 1,000 frames wait, and goes on when half of them are taken', async () => {
    const { body, connection } = stand();
    body.write(Array.from({ length: 1_000 }, (_, id) => frame(id)).join(''));
    await turns();
    expect(body.isPaused()).toBe(true);
    for (let id = 0; id < 500; id++) expect(await connection.next()).toMatchObject({ frame: { id: `0-${id}` } });
    expect(body.isPaused()).toBe(true);
    await connection.next();
    expect(body.isPaused()).toBe(false);
  });

  it('is closed when a full queue is not touched for ten seconds, and not while frames are taken', async () => {
    const { clock, body, connection, closed } = stand();
    body.write(Array.from({ length: 1_000 }, (_, id) => frame(id)).join(''));
    await turns();
    await clock.pass(9_999);
    await connection.next();
    await clock.pass(1);
    expect(closed.signal.aborted).toBe(false);
    await clock.pass(9_999);
    expect(closed.signal.aborted).toBe(false);
    await clock.pass(1);
    expect([closed.signal.aborted, body.destroyed]).toEqual([true, true]);
    for (let id = 1; id < 1_000; id++) await connection.next();
    expect(await connection.next()).toBe('unread');
  });

  it('is not closed for a queue that was full and is not any more', async () => {
    const { clock, body, connection, closed } = stand();
    body.write(Array.from({ length: 1_000 }, (_, id) => frame(id)).join(''));
    await turns();
    for (let id = 0; id < 600; id++) await connection.next();
    await clock.pass(60_000);
    expect(closed.signal.aborted).toBe(false);
  });

  it('is dead when it is silent for ten seconds after its timeout', async () => {
    const { clock, connection, closed } = stand();
    await clock.pass(129_999);
    expect(closed.signal.aborted).toBe(false);
    await clock.pass(1);
    expect(await connection.next()).toBe('stalled');
  });

  it('is not dead while bytes come, even after its timeout', async () => {
    const { clock, body, connection, closed } = stand();
    for (let beat = 0; beat < 40; beat++) {
      await clock.pass(5_000);
      body.write(': still here\n\n');
      await turns();
    }
    await clock.pass(9_999);
    expect(closed.signal.aborted).toBe(false);
    await clock.pass(1);
    expect(await connection.next()).toBe('comment');
    expect(await connection.next()).toBe('stalled');
  });

  it('that is closed leaves no timer behind, and says how it was lost first', async () => {
    const { clock, body, connection } = stand();
    connection.close();
    await turns();
    expect([body.destroyed, clock.sleepers]).toEqual([true, 0]);
    expect(await connection.next()).toBe('dropped');
    const broken = stand();
    broken.body.destroy(new Error('reset'));
    await turns();
    expect(await broken.connection.next()).toBe('dropped');
  });
});
