/**
 * Rows of the fault catalogue that no upstream throws: our disk, the receivers of webhooks, the readers of our stream.
 * Most of each is proven beside the code it concerns; the table names those tests, and what was missing stands here.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { selfSigned } from '../../sandbox/certificate.ts';
import { systemClock } from '../../src/base/clock.ts';
import { createSender } from '../../src/delivery/webhooks/sender.ts';
import { inOurWords } from '../../src/store/sqlite/connection.ts';
import { openSqlite } from '../../src/store/sqlite.ts';
import { fakeClock } from '../stages/fake-clock.ts';
import { openReceiver, until } from '../stages/receiver.ts';
import { openService } from '../stages/service.ts';
import { upstreamService } from '../stages/upstream-service.ts';

const ELSEWHERE: readonly (readonly [row: string, fault: string, file: string, test: string])[] = [
  ['B3', 'a full disk', 'src/store/sqlite/file.test.ts', 'fails in words a caller can act on when there is none'],
  ['B3', 'a file that cannot grow', 'src/store/sqlite/crash.test.ts', 'fails the commit as a whole, in words a caller'],
  ['B3', 'readiness', 'test/http-limits.test.ts', 'stops what would be acknowledged, says so at /readyz'],
  [
    'B3',
    'a lost answer',
    'src/service/upstream/upstream.test.ts',
    'stores once what was stored although the answer was lost',
  ],
  [
    'B6',
    'it hangs, or half-answers',
    'src/delivery/webhooks/sender.test.ts',
    'waits fifteen seconds for an answer and its body',
  ],
  ['B6', 'an answer without end', 'src/delivery/webhooks/sender.test.ts', 'reads no more of an answer than it must'],
  ['B6', 'a redirect', 'src/delivery/webhooks/sender.test.ts', 'takes %i for a failure'],
  [
    'B6',
    'closed after the body',
    'src/delivery/webhooks/sender.test.ts',
    'fails in words when there is no answer, or only part of one',
  ],
  ['B6', 'metadata addresses', 'src/delivery/webhooks/sender.test.ts', 'connects to none of %j'],
  [
    'B6',
    'rebinding',
    'src/delivery/webhooks/sender.test.ts',
    'asks once for each connection, so that a name cannot change',
  ],
  ['B6', 'hostile addresses', 'test/delivery-ssrf.test.ts', 'are refused when a webhook is made, or lead to no'],
  ['B6', 'all at random', 'test/black-box/webhooks-suite.ts', 'get everything once it is owed, whatever fails'],
  [
    'B7',
    'it never reads',
    'src/delivery/live/live.test.ts',
    'are cut off with a reason when they do not read, and go on',
  ],
  [
    'B7',
    'it reads ten bytes a second',
    'src/delivery/live/live.test.ts',
    'are cut off as well when they read ten bytes',
  ],
  ['B7', 'it is cut', 'test/black-box/stream-suite.ts', 'loses, doubles and disorders nothing through random cuts'],
  ['B7', 'a made-up id', 'test/black-box/stream-suite.ts', 'refuses by name what it cannot do'],
  ['B7', 'an expired id', 'test/black-box/stream-suite.ts', 'refuses a cursor that retention has overtaken'],
  ['B7', 'a foreign or future id', 'src/service/outlets/cursors.test.ts', 'are worth nothing to another account'],
];

describe('faults of our own side', () => {
  it.each(ELSEWHERE)('%s: %s is tested in %s', (_row, _fault, file, test) => {
    expect(readFileSync(join(import.meta.dirname, '../..', file), 'utf8')).toContain(test);
  });
});

describe('B3 a store that fails', () => {
  it('acknowledges nothing, says so, and has everything once it is well', async () => {
    // Busy, full, failed read or write, failed sync, read-only: as SQLite numbers them.
    const codes = [5, 13, 10, 1_034, 8];
    let failing: number | undefined;
    let failures = 0;
    await using stage = await upstreamService({
      upstreams: ['firehose'],
      around: (store) => ({
        ...store,
        async commit(batch) {
          if (failing === undefined) return store.commit(batch);
          failures++;
          throw inOurWords(Object.assign(new Error('as told'), { errcode: failing }));
        },
        check: () => (failing === undefined ? store.check() : Promise.reject(new Error('as told'))),
      }),
    });
    await stage.rule('storm');
    await stage.live('firehose');
    const ids: string[] = [];
    for (const code of codes) {
      const before = [await stage.store.cursor('firehose'), failures];
      failing = code;
      ids.push(stage.page(), stage.page());
      await stage.until(() => failures > Number(before[1]));
      await stage.pass(1_000);
      expect(stage.test.service.context.readiness.notReady()).not.toEqual([]);
      expect([await stage.store.cursor('firehose'), await stage.matchCount()]).toEqual([before[0], ids.length - 2]);
      failing = undefined;
      await stage.pass(2_000);
      await stage.stored(ids.length);
      expect(stage.test.service.context.readiness.notReady()).toEqual([]);
    }
    expect(await stage.matches()).toEqual(ids);
  });

  it('because another process holds the file is told, and works again when that has ended', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-busy-'));
    const file = join(folder, 'busy.db');
    const batch = { platform: 'x', at: new Date(), events: [], cursor: { name: 'x', value: 'later' } } as const;
    try {
      await using store = await openSqlite(file);
      const other = new DatabaseSync(file);
      other.exec('BEGIN IMMEDIATE');
      await expect(store.commit(batch)).rejects.toMatchObject({ reason: 'busy', retryable: true });
      expect(await store.cursor('x')).toBeUndefined();
      other.exec('ROLLBACK');
      other.close();
      await store.commit(batch);
      expect(await store.cursor('x')).toBe('later');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('B6 a receiver', () => {
  const egress = { allowPrivate: true, ownAddresses: () => [], resolve: () => {} };
  const message = (url: string) => ({ url, headers: {}, body: '{}', signal: new AbortController().signal });

  it('that answers a byte a second has fifteen seconds', async () => {
    const clock = fakeClock();
    const send = createSender({ clock, egress });
    let bytes = 0;
    const drip = async (response: ServerResponse) => {
      response.writeHead(200);
      while (!response.destroyed) {
        response.write('x');
        bytes++;
        await clock.sleep(1_000);
      }
    };
    await using receiver = await openReceiver((response) => void drip(response));
    const sending = send(message(receiver.url));
    await until(() => bytes > 0);
    for (let second = 0; second < 15; second++) await clock.pass(1_000);
    expect(await sending).toMatchObject({
      statusCode: undefined,
      error: 'The receiver did not answer within 15 seconds.',
    });
    expect(bytes).toBeGreaterThan(10);
  });

  it('whose certificate nobody vouches for gets nothing', async () => {
    const year = 365 * 86_400_000;
    const received: string[] = [];
    const server = createServer(
      selfSigned(new Date(Date.now() - year), new Date(Date.now() + year)),
      (request, response) => {
        received.push(request.url ?? '');
        response.end();
      },
    );
    await new Promise<void>((done) => {
      server.listen(0, '127.0.0.1', done);
    });
    const { port } = server.address() as AddressInfo;
    const sent = await createSender({ clock: systemClock, egress })(message(`https://127.0.0.1:${port}/`));
    expect(sent).toMatchObject({ statusCode: undefined, error: expect.any(String) });
    expect(received).toEqual([]);
    await new Promise((done) => server.close(done));
  });

  it('that says yes after sixteen seconds is asked again, with the same id and the same bytes', async () => {
    const clock = fakeClock();
    await using test = await openService({ clock, delivery: { allowPrivate: true, random: () => 0.5 } });
    const caller = await test.caller('one');
    await test.call(caller, 'createRule', { name: 'Storms', intent: '', platforms: ['x'], overrides: { x: 'storm' } });
    let isLate = true;
    const agree = async (response: ServerResponse) => {
      if (isLate) await clock.sleep(16_000);
      response.end('yes');
    };
    await using receiver = await openReceiver((response) => void agree(response));
    const { webhook_id } = await test.call(caller, 'createWebhook', { url: receiver.url });
    const pushed = test.post(caller, 'a storm');
    await clock.pass(20);
    await pushed;
    await clock.pass(1_000);
    await until(() => receiver.received.length === 1);
    await clock.pass(16_000);
    isLate = false;
    await clock.pass(60_000);
    await until(() => receiver.received.length > 1);
    await until(() => test.service.context.dispatcher.inFlight === 0);
    await clock.pass(0);
    const { deliveries } = await test.call(caller, 'listDeliveries', { webhook_id });
    expect(deliveries[0]).toMatchObject({ status: 'delivered' });
    expect(deliveries[0]!.attempts[0]).toMatchObject({ error: 'The receiver did not answer within 15 seconds.' });
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
  });
});
