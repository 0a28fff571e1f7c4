import { createHash } from 'node:crypto';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../../test/stages/fake-clock.ts';
import { objectCredentialProblem } from '../../../base/object-address.ts';
import type { Match } from '../../../domain/match.ts';
import type { Sent } from '../outcome.ts';
import { createS3Transport } from '../sink-transports.ts';
import { failedToSend, type WebhookRequest } from '../transport.ts';
import { isObjectFormat, OBJECT_TYPES, objectContent, objectLines, testContent } from './object-body.ts';

const at = (createdAt: string) => ({ id: createdAt, createdAt: new Date(createdAt) }) as Match;
const encode = ({ id }: Match) => JSON.stringify({ id });
const RULE = { rule_id: 'rule_1', rule_name: 'Lava', rule_version: 1 };
const POST = { platform: 'x', platform_post_id: '1', event_id: 'x:1', payload: {}, highlights: [], story_first: true };
const lineOf = (id: string, created_at: string) => `${JSON.stringify({ id, created_at, ...RULE, ...POST })}\n`;
const LINES = lineOf('match_1', '2026-11-15T08:30:00.123Z') + lineOf('match_2', '2026-11-15T08:31:00.000Z');

describe('the lines of an object', () => {
  it('are the matches of the hour of the first', () => {
    const [first, second, next] = ['08:00:00.000Z', '08:59:59.999Z', '09:00:00.000Z'].map((time) =>
      at(`2026-11-15T${time}`),
    );
    const lines = `${encode(first!)}\n${encode(second!)}\n`;
    expect(objectLines([first!, second!, next!], encode)).toEqual({ text: lines, matches: 2 });
    expect(objectLines([first!, second!], encode)).toEqual({ text: lines, matches: 2 });
    expect(objectLines([first!, next!, second!], encode).matches).toBe(1);
  });

  it('are written by two formats', () => {
    expect([isObjectFormat('ndjson'), isObjectFormat('parquet'), isObjectFormat('json')]).toEqual([true, true, false]);
  });
});

describe('an object', () => {
  it('of lines is compressed, under the hour, the webhook, the first match and a digest of all', async () => {
    const { key, bytes, type } = await objectContent(OBJECT_TYPES.ndjson, 'hook_1', LINES);
    expect([key, type]).toEqual(['date=2026-11-15/hour=08/hook_1-match_1-87b3c3a2bcae.ndjson.gz', 'application/gzip']);
    expect(gunzipSync(bytes).toString()).toBe(LINES);
  });

  const rowsOf = (bytes: Uint8Array) => {
    const buffer = Buffer.from(bytes);
    const file = {
      byteLength: buffer.length,
      slice: async (from: number, to?: number) => new Uint8Array(buffer.subarray(from, to)).buffer,
    };
    const compressors = { ZSTD: (input: Uint8Array) => new Uint8Array(zstdDecompressSync(input)) };
    return parquetReadObjects({ file, compressors });
  };

  it('of Parquet has a row for each line', async () => {
    const { key, bytes, type } = await objectContent(OBJECT_TYPES.parquet, 'hook_1', LINES);
    expect([key, type]).toEqual([
      'date=2026-11-15/hour=08/hook_1-match_1-87b3c3a2bcae.parquet',
      'application/vnd.apache.parquet',
    ]);
    expect((await rowsOf(bytes)).map((row) => row['id'])).toEqual(['match_1', 'match_2']);
  });

  it('of Parquet has long lines in groups of a mebibyte', async () => {
    const long = Array.from({ length: 5 }, (_, index) =>
      lineOf(`match_${index}`, '2026-11-15T08:30:00.123Z').replace('{}', JSON.stringify({ text: 'a'.repeat(600_000) })),
    );
    const { bytes } = await objectContent(OBJECT_TYPES.parquet, 'hook_1', long.join(''));
    expect((await rowsOf(bytes)).map((row) => row['id'])).toEqual(long.map((_, index) => `match_${index}`));
    const { row_groups } = parquetMetadata(new Uint8Array(bytes).buffer);
    expect(row_groups.map(({ num_rows }) => Number(num_rows))).toEqual([2, 2, 1]);
  });

  it('of a test holds no match', () => {
    const { key, bytes, type } = testContent('dlv_1');
    expect([key, type]).toEqual(['sluice-test/dlv_1.txt', 'text/plain; charset=utf-8']);
    expect(Buffer.from(bytes).toString()).toBe('This is a test from Sluice.\n');
  });
});

describe('the request of an object', () => {
  const done: Sent = { ...failedToSend(''), error: undefined, statusCode: 200 };
  const REQUEST: WebhookRequest = {
    url: 's3://bucket/p?endpoint=https://m.example&region=eu-1',
    headers: { 'content-type': OBJECT_TYPES.ndjson, 'user-agent': 'Sluice/1' },
    body: LINES,
    id: 'dlv_1',
    credential: 'AKID:secret',
    webhook: { id: 'hook_1', accountId: 'acct_1', confirmedUrl: undefined },
    signal: new AbortController().signal,
  };

  /** Returns what was sent, and what the transport made of the answer. */
  async function put(change: Partial<WebhookRequest> = {}, answer: Sent = done, request: WebhookRequest = REQUEST) {
    const requests: WebhookRequest[] = [];
    const transport = createS3Transport({
      clock: fakeClock(),
      http: async (made) => {
        requests.push(made);
        return answer;
      },
    });
    const sent = await transport({ ...request, ...change });
    return { sent, request: requests[0] };
  }

  it('is one PUT that stores once, signed with the key of the owner for the region and the moment', async () => {
    const { sent, request } = await put();
    expect(sent).toBe(done);
    expect(request).toMatchObject({
      url: 'https://m.example/bucket/p/date=2026-11-15/hour=08/hook_1-match_1-87b3c3a2bcae.ndjson.gz',
      method: 'PUT',
      headers: {
        'content-type': 'application/gzip',
        'if-none-match': '*',
        'user-agent': 'Sluice/1',
        'x-amz-date': '20261115T083000Z',
        'x-amz-content-sha256': createHash('sha256').update(request!.bytes!).digest('hex'),
        authorization: expect.stringMatching(/^AWS4-HMAC-SHA256 Credential=AKID\/20261115\/eu-1\/s3\/aws4_request, /),
      },
    });
    expect(gunzipSync(request!.bytes!).toString()).toBe(LINES);
    expect(request!.headers).not.toHaveProperty('x-amz-security-token');
    const { request: temporary } = await put({ credential: 'AKID:secret:token', headers: {} });
    expect(temporary!.headers).toMatchObject({ 'x-amz-security-token': 'token', 'user-agent': 'Sluice' });
  });

  it('of a test writes beside the data', async () => {
    expect((await put({ body: '' })).request!.url).toBe('https://m.example/bucket/p/sluice-test/dlv_1.txt');
  });

  it('is not made without a credential of the right form, or without a webhook', async () => {
    const form =
      'The credential must be <access key id>:<secret access key>, and for a temporary key :<session token> after them.';
    for (const credential of ['', 'AKID', 'AKID:', ':secret', 'a:b:', 'a:b:c:d', 'a b:c']) {
      expect(objectCredentialProblem(credential)).toBe(form);
      const { sent, request } = await put({ credential });
      expect([sent, request]).toEqual([failedToSend(`Nothing was sent. ${form}`), undefined]);
    }
    expect(objectCredentialProblem('a:b')).toBeUndefined();
    const { webhook: _, ...orphan } = REQUEST;
    expect((await put({}, done, orphan)).request).toBeUndefined();
  });

  it('is given up when the delivery was made for another kind of receiver', async () => {
    const { sent, request } = await put({ body: 'no lines of matches' });
    expect([sent.givesUp, request]).toEqual([true, undefined]);
    expect(sent.error).toBe('The delivery was made for another kind of receiver.');
  });

  it('has succeeded where the object is there already', async () => {
    const there = { ...failedToSend('The receiver answered 412.'), statusCode: 412 };
    expect((await put({}, there)).sent).toEqual({ ...there, error: undefined });
  });

  it('tells the code of a refusal, and that a store has too much to do', async () => {
    const refused = (code: string, error: string | undefined = 'The receiver answered 403.') =>
      put({}, { ...failedToSend(''), error, statusCode: 403, response: `<Error><Code>${code}</Code>` });
    expect((await refused('AccessDenied')).sent).toMatchObject({
      error: 'The receiver answered 403 (AccessDenied).',
      overloaded: false,
    });
    expect((await refused('SlowDown')).sent.overloaded).toBe(true);
    expect((await refused('<b>')).sent.error).toBe('The receiver answered 403.');
    const busy = {
      ...failedToSend('The receiver answered 503.', { overloaded: true }),
      response: '<Code>Other</Code>',
    };
    expect((await put({}, busy)).sent.overloaded).toBe(true);
    const fine = { ...done, response: '<Code>Odd</Code>' };
    expect((await put({}, fine)).sent).toEqual(fine);
  });
});
