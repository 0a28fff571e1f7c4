/** Webhooks that write objects: by the hour, each once, whatever breaks on the way. */
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { parquetReadObjects } from 'hyparquet';
import { describe, expect, it } from 'vitest';
import { fakeClock } from './stages/fake-clock.ts';
import { BUCKET, BUCKET_KEY, openObjectStore } from './stages/object-store.ts';
import { openService, type TestOptions } from './stages/service.ts';
import { signatureProblem } from './stages/signature-v4.ts';

const HOUR = 3_600_000;

async function stage(delivery: TestOptions['delivery'] = { allowPrivate: true }) {
  // Half past eight: the first hour ends in thirty minutes.
  const clock = fakeClock();
  const objects = await openObjectStore();
  const test = await openService({ clock, delivery: { random: () => 0.5, ...delivery } });
  const caller = await test.caller('one');
  const rule = { name: 'Storms', intent: '', platforms: ['x'], overrides: { x: 'storm' } };
  await test.call(caller, 'createRule', rule);
  return {
    clock,
    objects,
    test,
    caller,
    async store(...texts: string[]) {
      const pushed = test.post(caller, ...texts.map((text) => `storm ${text}`));
      await clock.pass(20);
      await pushed;
    },
    /** Time passes to the next full hour and no further: a request that is under way has seconds, not minutes. */
    toHour: () => clock.pass(HOUR - (clock.now().getTime() % HOUR)),
    /** Every attempt has ended, and there were this many requests to the store. */
    async ended(puts: number) {
      const { dispatcher } = test.service.context;
      // A delivery that is due at once waits for no time, but for its turn.
      while (objects.puts.length < puts || dispatcher.inFlight > 0) await clock.pass(0);
      await clock.pass(0);
    },
    webhook: (change: object = {}) =>
      test.call(caller, 'createWebhook', {
        url: `s3://${BUCKET}/sluice/matches?endpoint=${objects.url}&region=eu-central-1`,
        format: 'ndjson',
        credential: BUCKET_KEY,
        ...change,
      }),
    deliveries: async () => (await test.call(caller, 'listDeliveries')).deliveries,
    async [Symbol.asyncDispose]() {
      await test.service.close();
      await objects[Symbol.asyncDispose]();
    },
  };
}

const linesOf = (bytes: Buffer): unknown[] =>
  gunzipSync(bytes)
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);

it('the judge of signatures agrees with the example that Amazon publishes', () => {
  const headers = {
    date: 'Fri, 24 May 2013 00:00:00 GMT',
    host: 'examplebucket.s3.amazonaws.com',
    'x-amz-content-sha256': '44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072',
    'x-amz-date': '20130524T000000Z',
    'x-amz-storage-class': 'REDUCED_REDUNDANCY',
    authorization:
      'AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,SignedHeaders=date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class,Signature=98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  };
  const request = { method: 'PUT', path: '/test%24file.text', headers, body: Buffer.from('Welcome to Amazon S3.') };
  const secret = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
  expect(signatureProblem(request, () => secret)).toBeUndefined();
  expect(signatureProblem(request, () => `${secret}x`)).toBe('SignatureDoesNotMatch');
});

describe('objects', () => {
  it('hold the matches of an hour as lines, in order, under a key of the hour', async () => {
    await using stand = await stage();
    const { webhook_id } = await stand.webhook();
    await stand.store('a', 'b');
    await stand.clock.pass(20 * 60_000);
    expect(stand.objects.puts).toEqual([]);
    await stand.store('c');
    await stand.toHour();
    await stand.ended(1);
    await stand.store('d');
    await stand.toHour();
    await stand.ended(2);
    const matches = (await stand.test.call(stand.caller, 'listMatches')).matches.toReversed();
    const begin = (hour: string, first: number) =>
      `sluice/matches/date=2026-11-15/hour=${hour}/${webhook_id}-${matches[first]!.id}-`;
    const [one, other] = [...stand.objects.stored];
    expect([one, other]).toEqual([expect.stringContaining(begin('08', 0)), expect.stringContaining(begin('09', 3))]);
    expect(linesOf(await stand.objects.read(one!))).toEqual(matches.slice(0, 3));
    expect(linesOf(await stand.objects.read(other!))).toEqual(matches.slice(3));
    expect((await stand.deliveries()).map(({ status, matches: count }) => [status, count])).toEqual([
      ['delivered', 1],
      ['delivered', 3],
    ]);
  });

  it('hold all matches of an hour although the first of them was sent by hand before', async () => {
    await using stand = await stage();
    const { webhook_id } = await stand.webhook();
    await stand.store('a', 'b', 'c');
    const matches = (await stand.test.call(stand.caller, 'listMatches')).matches.toReversed();
    await stand.test.call(stand.caller, 'sendMatch', { match_id: matches[0]!.id, webhook_id });
    await stand.ended(1);
    await stand.toHour();
    await stand.ended(2);
    const lines = await Promise.all(
      [...stand.objects.stored].map(async (key) => linesOf(await stand.objects.read(key))),
    );
    expect(lines).toEqual([matches.slice(0, 1), matches]);
  });

  it('hold the same rows as Parquet', async () => {
    await using stand = await stage();
    await stand.webhook({ format: 'parquet' });
    await stand.store('a', 'b');
    await stand.toHour();
    await stand.ended(1);
    const [key] = stand.objects.stored;
    expect(key).toMatch(/\.parquet$/);
    const bytes = await stand.objects.read(key!);
    const rows = await parquetReadObjects({
      file: {
        byteLength: bytes.length,
        slice: async (from, to) => new Uint8Array(bytes.subarray(from, to)).buffer,
      },
      compressors: { ZSTD: (input: Uint8Array) => new Uint8Array(zstdDecompressSync(input)) },
    });
    const matches = (await stand.test.call(stand.caller, 'listMatches')).matches.toReversed();
    expect(rows.map(({ id, payload }) => [id, JSON.parse(String(payload))])).toEqual(
      matches.map(({ id, payload }) => [id, payload]),
    );
  });

  it('are stored once, whether the store is busy, the connection breaks, or the answer is lost', async () => {
    await using stand = await stage();
    stand.objects.faults.push('503', 'cut before', 'cut after');
    const { webhook_id } = await stand.webhook();
    await stand.store('a');
    await stand.toHour();
    await stand.ended(1);
    for (let puts = 2; puts <= 4; puts++) {
      const [{ next_attempt_at } = { next_attempt_at: null }] = await stand.deliveries();
      await stand.clock.pass(Date.parse(next_attempt_at!) - stand.clock.now().getTime());
      await stand.ended(puts);
    }
    expect(new Set(stand.objects.puts).size).toBe(1);
    expect(stand.objects.stored.size).toBe(1);
    const [delivery] = await stand.deliveries();
    expect(delivery!.status).toBe('delivered');
    expect(delivery!.attempts.map(({ status_code, error }) => [status_code, error])).toEqual([
      [503, 'The receiver answered 503 (SlowDown).'],
      [null, 'The connection broke.'],
      [null, 'The connection broke.'],
      [412, null],
    ]);
    await stand.test.call(stand.caller, 'redeliverWebhook', { webhook_id, delivery_id: delivery!.id });
    await stand.ended(5);
    expect(stand.objects.stored.size).toBe(1);
  });

  it('are of one hour each, also after a pause of hours', async () => {
    await using stand = await stage();
    const { webhook_id } = await stand.webhook();
    await stand.test.call(stand.caller, 'updateWebhook', { webhook_id, paused: true });
    for (const text of ['a', 'b', 'c']) {
      await stand.store(text);
      await stand.clock.pass(HOUR);
    }
    expect(stand.objects.puts).toEqual([]);
    await stand.test.call(stand.caller, 'updateWebhook', { webhook_id, paused: false });
    await stand.ended(3);
    expect([...stand.objects.stored].map((key) => /hour=(\d\d)/.exec(key)![1])).toEqual(['08', '09', '10']);
  });

  it('are not written with a wrong key, which shows in no list', async () => {
    await using stand = await stage();
    await stand.webhook({ credential: 'S3RVER:a-wrong-secret' });
    await stand.store('a');
    await stand.toHour();
    await stand.ended(1);
    const [delivery] = await stand.deliveries();
    expect(delivery).toMatchObject({
      status: 'pending',
      attempts: [{ status_code: 403, error: 'The receiver answered 403 (SignatureDoesNotMatch).' }],
    });
    expect(stand.objects.stored.size).toBe(0);
    const { webhooks } = await stand.test.call(stand.caller, 'listWebhooks');
    expect(JSON.stringify([delivery, webhooks])).not.toContain('a-wrong-secret');
  });

  it('of a test hold no match', async () => {
    await using stand = await stage();
    const { webhook_id } = await stand.webhook();
    expect(await stand.test.call(stand.caller, 'testWebhook', { webhook_id })).toMatchObject({ status_code: 200 });
    const [key] = stand.objects.stored;
    expect(key).toMatch(/^sluice\/matches\/sluice-test\/dlv_\w+\.txt$/);
    expect(String(await stand.objects.read(key!))).toBe('This is a test from Sluice.\n');
  });
});

describe('a webhook that writes objects', () => {
  it('is by the hour unless its owner says otherwise', async () => {
    await using stand = await stage();
    const { webhook_id, batch } = await stand.webhook();
    expect(batch).toEqual({ every: '1h' });
    expect((await stand.webhook({ batch: { every: '15m' } })).batch).toEqual({ every: '15m' });
    const update = { webhook_id, batch: null };
    expect((await stand.test.call(stand.caller, 'updateWebhook', update)).batch).toEqual({ every: '1h' });
  });

  it('is refused where it could not work or may not go, with the field that is wrong', async () => {
    await using stand = await stage({ allowPrivate: false });
    const url = 's3://archive/sluice';
    const hook = await stand.webhook({ url });
    for (const [path, change] of [
      ['url', { url: 'https://example.com/' }],
      ['url', { format: 'json' }],
      ['url', { url: 's3://UPPER/x' }],
      ['url', { url: 's3://archive/a b' }],
      ['url', { url: 's3://archive/x?secret=1' }],
      ['url', { url: 's3://archive/x?region=a/b' }],
      ['url', { url: 's3://archive/x?endpoint=http://minio.example' }],
      ['url', { url: 's3://archive/x?endpoint=https://10.0.0.1' }],
      ['url', { url: 's3://archive/x?endpoint=https://minio.internal' }],
      ['url', { url: 's3://archive/x?endpoint=https://minio.example/path' }],
      ['credential', { credential: undefined }],
      ['credential', { credential: 'one-word' }],
      ['wake', { wake: { per: 'story' } }],
      ['events', { events: ['match', 'alert'] }],
    ] as const)
      await expect(stand.webhook(Object.assign({ url }, change))).rejects.toMatchObject({
        details: { issues: [{ path }] },
      });
    // The key is for the endpoint that it was given for, and what waits is written for a bucket.
    for (const [path, change] of [
      ['credential', { url: 's3://archive/sluice?endpoint=https://other.example' }],
      ['format', { format: 'json', url: 'https://example.com/' }],
    ] as const)
      await expect(
        stand.test.call(stand.caller, 'updateWebhook', { webhook_id: hook.webhook_id, ...change }),
      ).rejects.toMatchObject({ details: { issues: [{ path }] } });
  });

  it('never connects to an address that is not public, whatever the name says by then', async () => {
    await using stand = await stage({
      allowPrivate: false,
      resolve: (_, __, callback) => callback(null, [{ address: '10.0.0.1', family: 4 }]),
    });
    await stand.webhook({ url: 's3://archive/x?endpoint=https://minio.example' });
    await stand.store('a');
    await stand.toHour();
    while ((await stand.deliveries())[0]?.attempts.length !== 1) await stand.clock.pass(0);
    const [delivery] = await stand.deliveries();
    expect(delivery!.attempts).toMatchObject([
      { status_code: null, error: 'The host name resolves to an address that is not public.' },
    ]);
  });
});
