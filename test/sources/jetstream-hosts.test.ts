/** Jetstream's hosts as they are: two of them, with counters of their own, refusals, faults, and one that withholds. */
import { EventEmitter } from 'node:events';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { jetstream, jetstreamOptions } from '../../src/sources/kinds/jetstream.ts';
import { loadLanguages } from '../../src/sources/text/language.ts';
import { BEGAN, DICTIONARY, type Happening, type JetFault, openJetHost, posted } from './jetstream-server.ts';
import { http, PATIENCE, passages, reader, type Stage, stage } from './stage.ts';

beforeAll(loadLanguages);

const FROM_START = String(BEGAN);
const posts = (count: number, from = 0) => Array.from({ length: count }, (_, at) => posted(from + at));
const idOf = (number: number) => `bluesky:did:plc:author${number % 3}/3l${number}/bafy${number}`;
const ids = (count: number) => Array.from({ length: count }, (_, at) => idOf(at));
const stored = ({ pages }: Stage) => pages.map(({ id }) => id);
const sourceAt = (url: string, options = {}) =>
  jetstream('bluesky', jetstreamOptions.parse({ url, ...options }), { first: 2, most: 10 });
const account = (number: number, status: string): Happening => ({
  did: `did:plc:author${number % 3}`,
  at: BEGAN + number * 1_000_000,
  kind: 'account',
  account: { active: false, status },
});

describe('one host of jetstream', () => {
  it('is asked for posts and accounts, makes pages, and announces deletions', async () => {
    const happenings = [
      posted(0),
      posted(1, { collection: 'app.bsky.feed.like' }),
      { ...posted(2), kind: 'future' as const },
      { ...account(3, 'x'), kind: 'identity' as const },
      { ...account(3, 'x'), kind: 'sync' as const },
      posted(0, { operation: 'update', cid: 'bafyedited', rev: '3m5aaaaaaaa2b' }),
      posted(4, { operation: 'delete', record: undefined, cid: undefined }),
      account(5, 'deactivated'),
      account(6, 'deleted'),
      posted(7, {}, { text: `${'\u{1F30B}\u0000\u202E"\\'.repeat(20)}${'a'.repeat(1024 * 1024)}` }),
    ];
    await using host = await openJetHost({ happenings });
    await using test = stage(sourceAt(host.url, { dids: ['did:plc:author0', 'did:plc:author1'] }), FROM_START);
    await test.until(() => test.pages.length === 3 && test.erased.length === 2);
    expect(stored(test)).toEqual([idOf(0), 'bluesky:did:plc:author0/3l0/bafyedited', idOf(7)]);
    expect(passages(test.pages[0]!)).toEqual(['+Post number 0 on storms']);
    expect(test.erased).toEqual(['bluesky:did:plc:author1/3l4', 'bluesky:did:plc:author0']);
    expect([...host.asked[0]!.searchParams]).toEqual([
      ['kinds', 'commit'],
      ['kinds', 'account'],
      ['collections', 'app.bsky.feed.post'],
      ['dids', 'did:plc:author0'],
      ['dids', 'did:plc:author1'],
      ['cursor', String(BEGAN - 10_000_000)],
    ]);
  });

  it('is resumed by its own counter, and by time when another instance answers under its name', async () => {
    await using host = await openJetHost({ happenings: posts(20), firstSeq: 90_000, stutters: true });
    await using test = stage(sourceAt(host.url), FROM_START);
    await test.until(() => test.pages.length === 20);
    await test.stop();
    expect(JSON.parse(test.cursors.get('source:bluesky')!)).toEqual({
      [host.url]: { seq: 90_019, time: BEGAN + 19_000_000, since: BEGAN },
    });
    host.settings.happenings.push(...posts(10, 20));
    test.start();
    await test.until(() => test.pages.length === 30);
    expect(host.asked[1]!.searchParams.get('cursor')).toBe('90019');
    await test.stop();
    // The new instance counts from 1: to it our counter is in the future, and it would replay nothing.
    host.settings.firstSeq = 1;
    host.settings.happenings.push(...posts(10, 30));
    test.start();
    await expect.poll(() => host.connections === 1 && host.asked.length === 3, PATIENCE).toBe(true);
    host.add(posted(40));
    await test.until(() => stored(test).includes(idOf(40)));
    expect(host.asked.slice(2).map((url) => url.searchParams.get('cursor'))).toEqual([
      '90029',
      String(BEGAN + 29_000_000 - 10_000_000),
    ]);
    expect([...new Set(stored(test))]).toEqual(ids(41));
  });

  it('that no longer has what is asked for says so, and that is a gap', async () => {
    await using host = await openJetHost({ happenings: posts(10) });
    await using test = stage(sourceAt(host.url), FROM_START);
    await test.until(() => test.pages.length === 10);
    await test.stop();
    host.settings.happenings.push(...posts(20, 10));
    host.settings.floorSeq = 21;
    test.start();
    await test.until(() => test.pages.length === 20);
    expect(host.asked.slice(1).map((url) => url.searchParams.get('cursor'))).toEqual(['10', String(BEGAN - 1_000_000)]);
    expect(test.gaps).toEqual([
      {
        from: new Date((BEGAN + 9_000_000) / 1_000),
        to: new Date((BEGAN + 20_000_000) / 1_000),
        cause: 'source_down',
        recovered: false,
      },
    ]);
    expect(JSON.parse(test.cursors.get('source:bluesky')!)[host.url].since).toBe(BEGAN + 20_000_000);
    expect(test.troubles.join()).toContain('no longer has the events of');
  });

  it('sends compressed frames on request, and plain ones when it does not know the dictionary', async () => {
    await using host = await openJetHost({ happenings: posts(5), dictionary: { id: 7, bytes: DICTIONARY } });
    await using test = stage(sourceAt(host.url, { compress: true }), FROM_START);
    await test.until(() => test.pages.length === 5);
    expect(host.asked[0]!.searchParams.get('zstdDictionary')).toBe('7');
    await test.stop();
    // It has another one by now, and still hands out the one before.
    host.settings.dictionary = { id: 8, bytes: DICTIONARY };
    host.settings.happenings.push(posted(5));
    test.start();
    await test.until(() => test.pages.length === 6);
    expect(host.asked.slice(1).map((url) => url.searchParams.get('zstdDictionary'))).toEqual(['7', null]);
  });

  it('of the old fleet is read from the old path', async () => {
    await using host = await openJetHost({ happenings: posts(5), isOld: true });
    await using test = stage(sourceAt(host.url), FROM_START);
    await test.until(() => test.pages.length === 5);
    expect(host.asked.map(({ pathname }) => pathname)).toEqual([
      '/xrpc/network.bsky.jetstream.subscribeEvents',
      '/subscribe',
    ]);
  });

  it('that refuses the settings is quoted, and left alone', async () => {
    await using host = await openJetHost({ happenings: posts(1) });
    await using test = stage(sourceAt(`${host.url}/?wantedCollections=a`), FROM_START);
    await test.until(() => test.troubles.length === 1);
    expect(test.troubles[0]).toContain('answered 400: wantedCollections is not known');
    expect(host.asked).toHaveLength(1);
  });
});

describe('two hosts of jetstream', () => {
  const fault: fc.Arbitrary<JetFault | undefined> = fc.oneof(
    fc.record({
      is: fc.constant('close' as const),
      after: fc.nat(30),
      code: fc.constantFrom(1001 as const, 1006 as const),
    }),
    fc.record({
      is: fc.constant('error' as const),
      after: fc.nat(30),
      name: fc.constantFrom('ConsumerTooSlow', 'InternalError'),
    }),
    fc.record({ is: fc.constant('half' as const), after: fc.nat(30) }),
    fc.constant({ is: 'unavailable' as const }),
    fc.constant(undefined),
  );

  it('lose nothing and bring nothing twice, whatever breaks, and whatever one of them withholds', async () => {
    const side = fc.record({
      faults: fc.array(fault, { maxLength: 5 }),
      firstSeq: fc.integer({ min: 1, max: 90_000 }),
    });
    const withheldBy = fc.array(fc.constantFrom('none', 'first', 'second'), { minLength: 60, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(side, side, withheldBy, async (one, other, withheld) => {
        const by = (name: string) => (happening: Happening) =>
          withheld[Math.round((happening.at - BEGAN) / 1_000_000)] === name;
        await using first = await openJetHost({ ...one, happenings: posts(60), withholds: by('first') });
        await using second = await openJetHost({
          ...other,
          happenings: posts(60),
          skew: 1_500_000,
          withholds: by('second'),
        });
        await using test = stage(sourceAt(first.url, { witness: second.url }), FROM_START);
        await test.until(() => new Set(stored(test)).size === 60);
        expect(stored(test).toSorted()).toEqual(ids(60).toSorted());
      }),
      { numRuns: 15 },
    );
  });

  it('tell which of them withholds a post; it comes from the other, and that host’s word counts no more', async () => {
    const lacking = (happening: Happening) => happening.at === BEGAN + 30_000_000;
    await using first = await openJetHost({ happenings: posts(100), withholds: lacking });
    await using second = await openJetHost({ happenings: posts(100), firstSeq: 700, skew: 2_000_000 });
    await using test = stage(sourceAt(first.url, { witness: second.url }), FROM_START);
    await test.until(() => test.gaps.length === 1 && new Set(stored(test)).size === 100);
    expect(test.gaps).toEqual([
      {
        from: new Date((BEGAN + 22_000_000) / 1_000),
        to: new Date((BEGAN + 32_000_000) / 1_000),
        cause: 'source_blind',
        recovered: true,
      },
    ]);
    expect(test.troubles).toEqual([expect.stringContaining(`${new URL(first.url).host} withholds posts: 1 since`)]);
    // Up to the last event of the second host, less the time that events take to reach both.
    await test.until(() => test.status.through?.getTime() === (BEGAN + (99 + 2 - 10) * 1_000_000) / 1_000);
    expect(test.status.state).toBe('live');
  });

  it('find one that brings no posts while accounts flow', async () => {
    const flowing = posts(100).flatMap((post, at) => [post, account(at, 'takendown')]);
    await using first = await openJetHost({ happenings: flowing, withholds: ({ kind }) => kind === 'commit' });
    await using second = await openJetHost({ happenings: flowing });
    await using test = stage(sourceAt(first.url, { witness: second.url }), FROM_START);
    await test.until(() => test.gaps.length > 0 && new Set(stored(test)).size === 100);
    expect(test.troubles[0]).toContain(`${new URL(first.url).host} withholds posts`);
  });

  it('go on when one is away, and what it missed meanwhile is asked of it by its own counter', async () => {
    await using first = await openJetHost({ happenings: posts(10) });
    await using second = await openJetHost({ happenings: posts(10), firstSeq: 500 });
    await using test = stage(sourceAt(first.url, { witness: second.url }), FROM_START);
    await test.until(() => test.cursors.get('source:bluesky')?.includes('"seq":509') === true);
    await expect.poll(() => first.connections + second.connections, PATIENCE).toBe(2);
    second.settings.faults = [undefined, { is: 'unavailable' }, { is: 'unavailable' }];
    second.cut();
    first.add(...posts(5, 10));
    second.settings.happenings.push(...posts(5, 10));
    await test.until(() => test.pages.length === 15);
    second.settings.faults = [];
    await test.until(() => test.cursors.get('source:bluesky')!.includes('"seq":514'));
    expect(second.asked.at(-1)!.searchParams.get('cursor')).toBe('509');
    expect(stored(test)).toEqual(ids(15));
    expect(test.gaps).toEqual([]);
  });
});

/** Two hosts whose frames the test sends, in the order that it wants; the arrivals are taken one by one. */
async function inOrder(cursor?: string) {
  const sockets: EventEmitter[] = [];
  const socket = () => {
    sockets.push(Object.assign(new EventEmitter(), { terminate: () => {} }));
    return sockets.at(-1)! as never;
  };
  const stopping = new AbortController();
  const nothing = () => {};
  const arrivals = sourceAt('ws://east.example', { witness: 'ws://west.example' }).read({
    clock: systemClock,
    http: { ...http, socket },
    reader,
    signal: stopping.signal,
    cursor: async () => cursor,
    live: nothing,
    trouble: nothing,
    lost: nothing,
  });
  const iterator = arrivals[Symbol.asyncIterator]();
  const first = iterator.next();
  await expect.poll(() => sockets.length, PATIENCE).toBe(2);
  const send = (at: number, frame: object) => sockets[at]!.emit('message', Buffer.from(JSON.stringify(frame)), false);
  const post = (at: number, number: number) =>
    send(at, {
      did: 'did:plc:a',
      time_us: BEGAN + number * 1_000_000,
      cursor: number + 1,
      kind: 'commit',
      commit: posted(number).commit,
    });
  return {
    first,
    next: async () => (await iterator.next()).value!,
    send,
    post,
    [Symbol.dispose]: () => stopping.abort(),
  };
}

it('a cursor covers what was yielded of each host, and nothing that waits behind it', async () => {
  using hosts = await inOrder();
  for (const at of [0, 1]) hosts.post(at, 7);
  const hostsIn = (value: string | undefined) => Object.keys(JSON.parse(value ?? '{}') as object);
  expect(hostsIn((await hosts.first).value?.cursor?.value)).toEqual(['ws://east.example']);
  expect(hostsIn((await hosts.next()).cursor?.value)).toHaveLength(2);
});

it('what one host no longer has is covered by the other, and witnessed by none', async () => {
  const last = { time: BEGAN, since: BEGAN };
  using hosts = await inOrder(JSON.stringify({ 'ws://east.example': last, 'ws://west.example': last }));
  hosts.post(1, 30);
  expect((await hosts.first).value?.pages).toHaveLength(1);
  const payload = { $type: 'network.bsky.jetstream.subscribeEvents#info', name: 'OutdatedCursor', message: '' };
  hosts.send(0, { $type: 'message', payload });
  hosts.post(0, 20);
  expect((await hosts.next()).gaps).toEqual([
    {
      from: new Date(BEGAN / 1_000),
      to: new Date((BEGAN + 20_000_000) / 1_000),
      cause: 'source_unwitnessed',
      recovered: true,
    },
  ]);
});
