/** Jetstream's older wire, `/subscribe`: events by time, replay from a cursor, cuts, silence, nonsense. */
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { jetstream, jetstreamOptions } from '../../src/sources/kinds/jetstream.ts';
import { loadLanguages } from '../../src/sources/text/language.ts';
import { passages, stage } from './stage.ts';

const BEGAN = 1_760_000_000_000_000;

const frame = (number: number, change: object = {}) => ({
  did: `did:plc:author${number % 3}`,
  time_us: BEGAN + number * 1_000_000,
  kind: 'commit',
  commit: {
    rev: `rev${number}`,
    operation: 'create',
    collection: 'app.bsky.feed.post',
    rkey: `3l${number}`,
    cid: `bafy${number}`,
    record: {
      $type: 'app.bsky.feed.post',
      text: `Post number ${number} on storms`,
      langs: ['en-US'],
      createdAt: new Date((BEGAN + number * 1_000_000) / 1_000).toISOString(),
    },
  },
  ...change,
});

type Fault = 'none' | 'cut' | 'refuse' | 'stall';

/** Sends its frames from the cursor on; each connection has a fault after a number of frames. */
async function openJetstream(frames: readonly unknown[], faults: { after: number; fault: Fault }[] = []) {
  const asked: URLSearchParams[] = [];
  const sockets = new Set<WebSocket>();
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await new Promise((resolve) => server.once('listening', resolve));
  let fired = 0;
  server.on('connection', (socket, request) => {
    sockets.add(socket);
    const query = new URL(request.url!, 'ws://x').searchParams;
    asked.push(query);
    const { after, fault } = faults[asked.length - 1] ?? { after: Number.POSITIVE_INFINITY, fault: 'none' };
    if (fault !== 'none') fired++;
    if (fault === 'refuse') return socket.close(1013);
    const from = Number(query.get('cursor') ?? 0);
    let sent = 0;
    for (const one of frames) {
      if (typeof one === 'object' && (one as { time_us: number }).time_us < from) continue;
      if (sent++ >= after) return fault === 'cut' ? socket.terminate() : undefined;
      socket.send(typeof one === 'string' ? one : JSON.stringify(one));
    }
  });
  const { port } = server.address() as { port: number };
  return {
    url: `ws://127.0.0.1:${port}/subscribe`,
    asked,
    get fired() {
      return fired;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.terminate();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const sourceAt = (url: string, options = {}) => jetstream('bluesky', jetstreamOptions.parse({ url, ...options }));
const ids = (count: number) =>
  Array.from({ length: count }, (_, at) => `bluesky:did:plc:author${at % 3}/3l${at}/bafy${at}`);
const frames = (count: number) => Array.from({ length: count }, (_, at) => frame(at));

describe('jetstream at a host of the old fleet', () => {
  beforeAll(loadLanguages);

  it('makes a page of a post', async () => {
    await using server = await openJetstream([frame(1)]);
    await using test = stage(sourceAt(server.url, { dids: ['did:plc:author1'] }));
    await test.until(() => test.pages.length === 1);
    expect(test.pages[0]).toMatchObject({
      id: 'bluesky:did:plc:author1/3l1/bafy1',
      url: 'https://bsky.app/profile/did:plc:author1/post/3l1',
      domain: ['bsky.app'],
      language: 'en',
      publish_time: '2025-10-09T08:53:21',
      page_types: ['/User_Generated_Content', '/User_Generated_Content/Social_Media_Post'],
      source: { name: 'bluesky', original: { did: 'did:plc:author1' } },
    });
    expect(passages(test.pages[0]!)).toEqual(['+Post number 1 on storms']);
    expect([...server.asked[0]!]).toEqual([
      ['wantedCollections', 'app.bsky.feed.post'],
      ['wantedDids', 'did:plc:author1'],
    ]);
    expect(test.status).toMatchObject({ state: 'live', events: 1, eventsPerMinute: 1 });
  });

  it('passes over what is no post, and knows an edited one from its first version', async () => {
    const deleted = frame(2);
    deleted.commit.operation = 'delete';
    const edited = frame(0, { time_us: BEGAN + 9_000_000 });
    edited.commit = { ...edited.commit, operation: 'update', cid: 'bafyedited' };
    const like = frame(3);
    like.commit.collection = 'app.bsky.feed.like';
    await using server = await openJetstream([
      frame(0),
      'not json',
      { did: 'did:plc:a', time_us: BEGAN, kind: 'identity', identity: {} },
      { kind: 'of the future' },
      deleted,
      like,
      edited,
      frame(10),
    ]);
    await using test = stage(sourceAt(server.url));
    await test.until(() => test.pages.length === 3);
    expect(test.pages.map(({ id }) => id)).toEqual([
      'bluesky:did:plc:author0/3l0/bafy0',
      'bluesky:did:plc:author0/3l0/bafyedited',
      'bluesky:did:plc:author1/3l10/bafy10',
    ]);
    expect(test.erased).toEqual(['bluesky:did:plc:author2/3l2']);
  });

  it('announces an author whose account was deleted, and no other change of an account', async () => {
    const account = (did: string, active: boolean, status?: string) => ({
      did,
      time_us: BEGAN,
      kind: 'account',
      account: { active, did, seq: 1, time: '2026-11-15T08:30:00Z', status },
    });
    await using server = await openJetstream([
      account('did:plc:back', true),
      account('did:plc:resting', false, 'deactivated'),
      account('did:plc:gone', false, 'deleted'),
    ]);
    await using test = stage(sourceAt(server.url));
    await test.until(() => test.erased.length === 1);
    expect(test.erased).toEqual(['bluesky:did:plc:gone']);
  });

  it('loses nothing and repeats nothing, wherever connections break', async () => {
    const fault = fc.record({
      after: fc.integer({ min: 0, max: 30 }),
      fault: fc.constantFrom<Fault>('cut', 'refuse'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(fault, { maxLength: 6 }), async (faults) => {
        await using server = await openJetstream(frames(60), faults);
        await using test = stage(sourceAt(server.url));
        await test.until(() => test.pages.length >= 60);
        expect(test.pages.map(({ id }) => id)).toEqual(ids(60));
        expect(server.fired).toBe(Math.min(faults.length, server.asked.length));
      }),
      { numRuns: 15 },
    );
  });

  it('leaves a server that has fallen silent', async () => {
    await using server = await openJetstream(frames(20), [{ after: 7, fault: 'stall' }]);
    await using test = stage(sourceAt(server.url, { stall: 1 }));
    await test.until(() => test.pages.length >= 20);
    expect(test.pages.map(({ id }) => id)).toEqual(ids(20));
    expect(test.troubles.join()).toContain('sent nothing for 1 seconds');
  });

  it('goes on from its cursor, some seconds earlier, after a restart and after failed commits', async () => {
    const known = frames(30);
    await using server = await openJetstream(known);
    await using test = stage(sourceAt(server.url));
    await test.until(() => test.pages.length >= 30);
    await test.stop();
    expect(JSON.parse(test.cursors.get('source:bluesky')!)).toEqual({
      [server.url]: { time: BEGAN + 29_000_000, since: BEGAN },
    });
    known.push(frame(30), frame(31));
    test.fault.commits = 2;
    test.start();
    await test.until(() => test.pages.at(-1)?.id === ids(32).at(-1));
    expect(test.fault.fired).toBe(2);
    expect(test.troubles).toContain('the store is full');
    expect(server.asked.slice(1).map((query) => query.get('cursor'))).toEqual(
      Array.from({ length: 3 }, () => String(BEGAN + 19_000_000)),
    );
    // A post that comes again after a restart has the id that it had, so the store keeps it once.
    expect([...new Set(test.pages.map(({ id }) => id))]).toEqual(ids(32));
  });
});
