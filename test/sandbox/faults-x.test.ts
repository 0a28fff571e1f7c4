/** Every switch of the X side: what a reader sees when it is thrown, and that it says that it fired. */
import { request } from 'node:https';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { CATALOGUE, type FaultName } from '../../sandbox/faults/catalogue.ts';
import { type FakeClock, fakeClock } from '../stages/fake-clock.ts';
import { until } from '../stages/receiver.ts';
import { type LavaSandbox, lavaSandbox, RULES, STREAM } from './reader.ts';
import { WEBHOOK_FAULTS, withWebhook } from './webhook-faults.ts';

type Name = Extract<FaultName, `X${string}`>;
type Case = (sandbox: LavaSandbox, clock: FakeClock) => Promise<void>;

const add = (sandbox: LavaSandbox, ...values: string[]) =>
  sandbox.call(RULES, { method: 'POST', body: { add: values.map((value) => ({ value })) } });

interface Added {
  readonly data?: { id: string; value: string }[];
  readonly errors?: { value: string; id?: string; title: string; details?: string[] }[];
  readonly meta: { summary: object };
}

/** Cuts the next post at some place, and answers the bytes that came. */
async function cutAt(sandbox: LavaSandbox, at: string, headers: Record<string, string> = {}): Promise<Buffer> {
  const stream = await sandbox.x('', { headers });
  sandbox.posts('whole');
  await until(() => stream.bytes().length > 0);
  sandbox.throwFault('X4', { at });
  sandbox.posts('æther');
  expect(await stream.over()).toBe('cut');
  expect(sandbox.sent).toHaveLength(1);
  return stream.bytes();
}

/** Over https, on a connection of its own. */
const statusOf = (url: string, trust: { ca?: string; rejectUnauthorized?: boolean }): Promise<number> =>
  new Promise((done, failed) => {
    const asked = request(url + RULES, { ...trust, agent: false });
    asked.once('response', (response) => done(response.resume().statusCode!)).once('error', failed);
    asked.end();
  });

const struckNames = new Set<string>();

/** A test of one switch: in the end it must have fired, and say so. */
function struck(name: Name, test: Case): () => Promise<void> {
  struckNames.add(name);
  return async () => {
    const clock = fakeClock();
    await using sandbox = await lavaSandbox({
      clock,
      xLevel: name === 'X8' ? 'payg' : 'enterprise',
      tls: name === 'X30',
    });
    await test(sandbox, clock);
    expect(sandbox.fired(name)).toBeGreaterThan(0);
    expect(sandbox.faults().find((one) => one.name === name)).toMatchObject({ fired: sandbox.fired(name) });
  };
}

describe('faults of X', () => {
  it(
    'X1',
    struck('X1', async (sandbox, clock) => {
      const stream = await sandbox.x();
      sandbox.throwFault('X1');
      sandbox.posts('unseen');
      await clock.pass(60_000);
      expect([stream.text(), stream.state()]).toEqual(['', 'open']);
      expect(sandbox.sent).toEqual([]);
    }),
  );
  it(
    'X2',
    struck('X2', async (sandbox, clock) => {
      const stream = await sandbox.x();
      sandbox.throwFault('X2');
      sandbox.posts('unseen');
      await clock.pass(40_000);
      await until(() => stream.text() === '\r\n\r\n');
    }),
  );
  it(
    'X3',
    struck('X3', async (sandbox, clock) => {
      sandbox.throwFault('X3');
      const stream = await sandbox.x();
      await clock.pass(19_000);
      await until(() => stream.text() === '\r\n');
      await clock.pass(21_400);
      expect(stream.text()).toBe('\r\n');
      await clock.pass(100);
      await until(() => stream.text() === '\r\n\r\n');
    }),
  );
  it(
    'X4',
    struck('X4', async (sandbox) => {
      const text = (await cutAt(sandbox, 'record')).toString();
      expect(text.split('\r\n')).toHaveLength(2);
      expect(text).not.toContain('æther');
    }),
  );
  it(
    'X5',
    struck('X5', async (sandbox) => {
      const stream = await sandbox.x();
      sandbox.throwFault('X5');
      expect(await stream.over()).toBe('cut');
      sandbox.throwFault('X5', { how: 'end' });
      expect(await (await sandbox.x()).over()).toBe('ended');
      sandbox.throwFault('X5', { how: 'fin' });
      expect(await (await sandbox.x()).over()).toBe('cut');
      sandbox.throwFault('X5', { on: 'connect' });
      await expect(sandbox.x()).rejects.toThrow(/hang up|ECONNRESET/);
      expect(sandbox.fired('X5')).toBe(4);
    }),
  );
  it(
    'X6',
    struck('X6', async (sandbox) => {
      sandbox.throwFault('X6', { status: 502, times: 2 });
      expect([(await sandbox.x()).status, (await sandbox.x()).status, (await sandbox.x()).status]).toEqual([
        502, 502, 200,
      ]);
    }),
  );
  it(
    'X7',
    struck('X7', async (sandbox, clock) => {
      sandbox.throwFault('X7', { seconds: 120, skew: -600 });
      const { status, headers, json } = await sandbox.call(STREAM);
      expect([status, json()]).toMatchObject([429, { title: 'Too Many Requests' }]);
      const theirs = Date.parse(headers.date!);
      expect(theirs).toBe(clock.now().getTime() - 600_000);
      expect(Number(headers['x-rate-limit-reset'])).toBe(theirs / 1_000 + 120);
    }),
  );
  it(
    'X8',
    struck('X8', async (sandbox, clock) => {
      sandbox.throwFault('X8');
      expect(sandbox.fired('X8')).toBe(0);
      const { status, headers, json } = await sandbox.call(STREAM);
      expect([status, json()]).toMatchObject([429, { connection_issue: 'TooManyConnections' }]);
      expect(Number(headers['x-rate-limit-remaining'])).toBeGreaterThan(0);
      const { data } = (await sandbox.call('/2/connections')).json<{ data: { id: string }[] }>();
      expect(data).toHaveLength(1);
      await sandbox.call('/2/connections', { method: 'DELETE', body: { uuids: [data[0]!.id] } });
      (await sandbox.x()).close();
      await until(() => sandbox.connections('x') === 0);
      sandbox.throwFault('X8', { seconds: 900 });
      expect((await sandbox.x()).status).toBe(429);
      await clock.pass(900_000);
      expect((await sandbox.x()).status).toBe(200);
    }),
  );
  it(
    'X9',
    struck('X9', async (sandbox) => {
      sandbox.throwFault('X9');
      for (const _ of [1, 2]) {
        const { status, json } = await sandbox.call(STREAM);
        expect([status, json()]).toMatchObject([429, { title: 'UsageCapExceeded', period: 'Monthly' }]);
      }
    }),
  );
  it(
    'X10',
    struck('X10', async (sandbox, clock) => {
      const stream = await sandbox.x();
      sandbox.throwFault('X10', { disconnect_type: 'ForceDisconnect' });
      sandbox.posts('unseen');
      await clock.pass(20_000);
      await until(() => stream.text().endsWith('\r\n\r\n'));
      expect(stream.records()).toMatchObject([{ errors: [{ disconnect_type: 'ForceDisconnect' }] }]);
      expect(stream.state()).toBe('open');
    }),
  );
  it(
    'X11',
    struck('X11', async (sandbox) => {
      const stream = await sandbox.x();
      sandbox.throwFault('X11');
      sandbox.throwFault('X11', { with_data: true });
      sandbox.posts('one', 'two');
      await stream.has('two');
      expect(stream.records()).toMatchObject([
        { errors: [{ type: expect.stringMatching('unheard-of') as string }] },
        { data: { text: 'lava one' }, errors: [{ title: 'Authorization Error' }] },
        { data: { text: 'lava two' } },
      ]);
    }),
  );
  it(
    'X12',
    struck('X12', async (sandbox) => {
      const stream = await sandbox.x();
      sandbox.throwFault('X12', { copies: 3 });
      const [id] = sandbox.posts('one');
      await until(() => stream.records().length === 3);
      expect(stream.records().map(({ data }) => data!.id)).toEqual([id, id, id]);
      stream.close();
      await until(() => sandbox.connections('x') === 0);
      sandbox.throwFault('X12', { copies: 1, reconnect: true });
      const again = await sandbox.x();
      await until(() => again.records().length === 1);
    }),
  );
  it(
    'X13',
    struck('X13', async (sandbox) => {
      const stream = await sandbox.x();
      sandbox.throwFault('X13', { count: 3 });
      const ids = sandbox.posts('one', 'two', 'three', 'four');
      await stream.has('four');
      const [first, second, third, fourth] = ids;
      expect(stream.records().map(({ data }) => data!.id)).toEqual([third, second, first, fourth]);
    }),
  );
  it(
    'X14',
    struck('X14', async (sandbox, clock) => {
      const ids = sandbox.posts('old');
      await clock.pass(90_000);
      ids.push(...sandbox.posts('new'));
      sandbox.throwFault('X14', { seconds: 60 });
      const stream = await sandbox.x('?backfill_minutes=1');
      await until(() => stream.records().length === 2);
      expect(stream.records().map(({ data }) => data!.id)).toEqual(ids);
    }),
  );
  it(
    'X15',
    struck('X15', async (sandbox, clock) => {
      const stream = await sandbox.x();
      sandbox.throwFault('X15', { seconds: 600 });
      expect(await stream.over()).toBe('cut');
      const from = clock.now();
      const ids = sandbox.posts('missed');
      expect((await sandbox.x()).status).toBe(503);
      await clock.pass(600_000);
      const job = await sandbox.x(`?start_time=${from.toISOString()}&end_time=${clock.now().toISOString()}`);
      expect(await job.over()).toBe('ended');
      expect(job.records().map(({ data }) => data!.id)).toEqual(ids);
    }),
  );
  it(
    'X16',
    struck('X16', async (sandbox, clock) => {
      sandbox.throwFault('X16', { seconds: 600 });
      sandbox.posts('missed');
      await clock.pass(600_000);
      expect((await sandbox.x('?backfill_minutes=5')).status).toBe(403);
      expect((await sandbox.x()).status).toBe(200);
    }),
  );
  it(
    'X17',
    struck('X17', async (sandbox, clock) => {
      const from = clock.now();
      const ids = sandbox.posts('one', 'two', 'three', 'four');
      await clock.pass(60_000);
      sandbox.throwFault('X17');
      const query = `?start_time=${from.toISOString()}`;
      const job = await sandbox.x(query);
      expect(await job.over()).toBe('cut');
      expect(job.records().map(({ data }) => data!.id)).toEqual(ids.slice(0, 2));
      expect(await (await sandbox.x(query)).over()).toBe('ended');
    }),
  );
  it(
    'X18',
    struck('X18', async (sandbox) => {
      const stream = await sandbox.x();
      sandbox.throwFault('X18', { status: 403 });
      expect(await stream.over()).toBe('cut');
      expect((await sandbox.x()).status).toBe(403);
      expect((await sandbox.call(RULES)).status).toBe(403);
      sandbox.clearFaults();
      expect((await sandbox.x()).status).toBe(200);
    }),
  );
  it(
    'X19',
    struck('X19', async (sandbox) => {
      sandbox.throwFault('X19');
      const { status, json } = await sandbox.call(STREAM);
      expect([status, json()]).toMatchObject([409, { connection_issue: 'RuleConfigurationIssue' }]);
    }),
  );
  it(
    'X20',
    struck('X20', async (sandbox) => {
      sandbox.throwFault('X20');
      const { status, json } = await add(sandbox, 'magma');
      expect([status, json<Added>().errors]).toEqual([
        200,
        [{ value: 'magma', title: 'DuplicateRule', type: 'https://api.twitter.com/2/problems/duplicate-rules' }],
      ]);
      sandbox.throwFault('X20', { with_id: true });
      const held = sandbox.rules('x').find(({ value }) => value === 'magma')!;
      expect((await add(sandbox, 'magma')).json<Added>().errors).toMatchObject([{ id: held.id }]);
    }),
  );
  it(
    'X21',
    struck('X21', async (sandbox) => {
      sandbox.throwFault('X21');
      await expect(add(sandbox, 'magma')).rejects.toThrow(/hang up|ECONNRESET/);
      expect(sandbox.rules('x').map(({ value }) => value)).toEqual(['lava', 'magma']);
      expect((await add(sandbox, 'magma')).json<Added>().errors).toMatchObject([{ title: 'DuplicateRule' }]);
    }),
  );
  it(
    'X22',
    struck('X22', async (sandbox) => {
      sandbox.throwFault('X22', { reason: 'no <b>such</b> thing' });
      const { status, json } = await add(sandbox, 'magma', 'basalt');
      expect([status, json()]).toMatchObject([
        200,
        {
          data: [{ value: 'basalt' }],
          errors: [{ value: 'magma', details: ['no <b>such</b> thing'] }],
          meta: { summary: { created: 1, not_created: 1, valid: 1, invalid: 1 } },
        },
      ]);
    }),
  );
  it(
    'X23',
    struck('X23', async (sandbox) => {
      sandbox.throwFault('X23');
      const { status, json } = await add(sandbox, 'magma');
      expect([status, json()]).toMatchObject([422, { title: 'RulesCapExceeded' }]);
      expect(sandbox.rules('x')).toHaveLength(1);
    }),
  );
  it(
    'X24',
    struck('X24', async (sandbox) => {
      const values = () => sandbox.rules('x').map(({ value, tag }) => `${value} ${tag}`);
      sandbox.throwFault('X24', { kind: 'wrong-tag', tag: 'theirs' });
      expect(values()).toEqual(['lava theirs']);
      sandbox.throwFault('X24', { kind: 'extra', value: 'ash', tag: 'ours' });
      expect(values()).toEqual(['lava theirs', 'ash ours']);
      sandbox.throwFault('X24', { kind: 'missing' });
      expect(values()).toEqual(['ash ours']);
      sandbox.throwFault('X24', { kind: 'delete-all' });
      expect(values()).toEqual([]);
    }),
  );
  it(
    'X25',
    struck('X25', async (sandbox, clock) => {
      const stream = await sandbox.x();
      sandbox.throwFault('X25', { seconds: 5 });
      let answered = false;
      const adding = add(sandbox, 'magma').then((answer) => {
        answered = true;
        return answer;
      });
      await until(() => sandbox.rules('x').length === 2);
      sandbox.post('x', { data: { id: '1', text: 'magma' } });
      await stream.has('magma');
      expect(answered).toBe(false);
      await until(() => clock.sleepers > 1);
      await clock.pass(5_000);
      const [rule] = (await adding).json<Added>().data!;
      expect(stream.records()[0]!.matching_rules).toEqual([{ id: rule!.id }]);
      sandbox.throwFault('X25', { orphan: true });
      sandbox.posts('one');
      await stream.has('"unknown"');
    }),
  );
  it(
    'X26',
    struck('X26', async (sandbox, clock) => {
      const stream = await sandbox.x();
      await add(sandbox, 'basalt');
      sandbox.throwFault('X26', { seconds: 20 });
      await sandbox.call(RULES, { method: 'POST', body: { delete: { values: ['lava'] } } });
      expect(sandbox.rules('x').map(({ value }) => value)).toEqual(['basalt']);
      sandbox.posts('late');
      await stream.has('late');
      await clock.pass(20_000);
      sandbox.posts('gone');
      expect(sandbox.sent).toHaveLength(1);
    }),
  );
  it(
    'X27',
    struck('X27', async (sandbox) => {
      const stream = await sandbox.x();
      sandbox.throwFault('X27');
      const [id] = sandbox.posts('one');
      await stream.has('(edited)');
      const [, edit] = stream.records();
      expect(edit!.data).toMatchObject({ edit_history_tweet_ids: [id, edit!.data!.id] });
    }),
  );
  it(
    'X28',
    struck('X28', async (sandbox) => {
      const stream = await sandbox.x();
      sandbox.throwFault('X28');
      sandbox.posts('after all that');
      await stream.has('after all that');
      expect(stream.bytes().length).toBeGreaterThan(2 * 1024 * 1024);
      expect(stream.text().split('\r\n')).toHaveLength(9);
    }),
  );
  it(
    'X30',
    struck('X30', async (sandbox) => {
      const trusting = { ca: sandbox.certificate! };
      expect(await statusOf(sandbox.url, trusting)).toBe(401);
      sandbox.throwFault('X30');
      await expect(statusOf(sandbox.url, trusting)).rejects.toThrow('certificate has expired');
      expect(await statusOf(sandbox.url, { rejectUnauthorized: false })).toBe(401);
      sandbox.clearFaults();
      expect(await statusOf(sandbox.url, trusting)).toBe(401);
    }),
  );
  it(
    'X32',
    struck('X32', async (sandbox) => {
      sandbox.throwFault('X32', { status: 302, location: 'https://elsewhere.example/' });
      const { status, headers } = await sandbox.call(STREAM);
      expect([status, headers.location]).toEqual([302, 'https://elsewhere.example/']);
    }),
  );

  it.each(WEBHOOK_FAULTS)('%s', async (name) => {
    await expect(struck(name, withWebhook(name))()).resolves.toBeUndefined();
  });

  it('are all tested', () => {
    expect([...struckNames]).toEqual(Object.keys(CATALOGUE).filter((name) => name.startsWith('X')));
  });
});

describe('cuts (X4)', () => {
  it.each([
    ['character', (bytes: Buffer) => bytes.at(-1)! >= 0xc0],
    ['crlf', (bytes: Buffer) => bytes.at(-1) === 0x0d],
    ['chunk-header', (bytes: Buffer) => bytes.toString().endsWith('\r\n')],
  ] as const)('inside a %s', async (at, holds) => {
    await using sandbox = await lavaSandbox();
    expect(holds(await cutAt(sandbox, at))).toBe(true);
  });

  it('inside a packed block', async () => {
    await using sandbox = await lavaSandbox();
    const bytes = await cutAt(sandbox, 'gzip', { 'accept-encoding': 'gzip' });
    expect(() => gunzipSync(bytes)).toThrow(/unexpected end/);
  });

  it('waits for a post that has the place, and for a reader that asked for gzip', async () => {
    await using sandbox = await lavaSandbox();
    const stream = await sandbox.x();
    sandbox.throwFault('X4', { at: 'gzip' });
    sandbox.posts('one');
    sandbox.throwFault('X4', { at: 'character' });
    sandbox.posts('two');
    await stream.has('two');
    expect(sandbox.fired('X4')).toBe(0);
  });

  it('after any number of bytes', async () => {
    for (const after_bytes of [1, 10, 137]) {
      await using sandbox = await lavaSandbox();
      sandbox.throwFault('X4', { after_bytes });
      const stream = await sandbox.x();
      sandbox.posts('one', 'two', 'three');
      expect(await stream.over()).toBe('cut');
      expect(stream.bytes()).toHaveLength(after_bytes);
    }
  });
});
