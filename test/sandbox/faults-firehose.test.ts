/** Every switch of the Firehose side, and the one that strikes either: what a reader sees, and that it says that it fired. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { describe, expect, it } from 'vitest';
import { CATALOGUE, ELSEWHERE, type FaultName } from '../../sandbox/faults/catalogue.ts';
import { type FakeClock, fakeClock } from '../stages/fake-clock.ts';
import { until } from '../stages/receiver.ts';
import { type LavaSandbox, lavaSandbox, RULES, type Stream } from './reader.ts';

type Name = Extract<FaultName, `F${string}` | `B${string}`>;
type Case = (sandbox: LavaSandbox, clock: FakeClock) => Promise<void>;

interface Data {
  readonly query_ids: string[];
  readonly matched_at: string;
  readonly document: { url?: string; diff?: { chunks: { text: string }[] }; markdown?: string };
}

/** The events so far, as a parser that we did not write reads them. */
function eventsOf(stream: Stream): EventSourceMessage[] {
  const events: EventSourceMessage[] = [];
  createParser({ onEvent: (event) => void events.push(event) }).feed(stream.text());
  return events;
}

const updatesOf = (stream: Stream) => eventsOf(stream).filter(({ event }) => event === 'update');
const idsOf = (stream: Stream) => updatesOf(stream).map(({ id }) => id);
const datasOf = (stream: Stream) => updatesOf(stream).map(({ data }) => JSON.parse(data) as Data);

/** Resumes after an id. */
const resuming = (id: string) => ({ headers: { 'last-event-id': id } });

const create = (sandbox: LavaSandbox, value: string) => sandbox.call('/v1/rules', { method: 'POST', body: { value } });

async function cutAt(sandbox: LavaSandbox, at: string): Promise<string> {
  const stream = await sandbox.firehose();
  const [first] = sandbox.pages('whole');
  await stream.has('whole');
  sandbox.throwFault('F2', { at });
  const [second] = sandbox.pages('cut');
  expect(await stream.over()).toBe('cut');
  expect(idsOf(stream)).toEqual([first]);
  const again = await sandbox.firehose('', resuming(first!));
  await again.has('cut');
  expect(idsOf(again)).toEqual([second]);
  again.close();
  await until(() => sandbox.connections('firehose') === 0);
  return stream.text();
}

const struckNames = new Set<string>();

/** A test of one switch: in the end it must have fired, and say so. */
function struck(name: Name, test: Case): () => Promise<void> {
  struckNames.add(name);
  return async () => {
    const clock = fakeClock();
    await using sandbox = await lavaSandbox({ clock });
    await test(sandbox, clock);
    expect(sandbox.fired(name)).toBeGreaterThan(0);
    expect(sandbox.faults().find((one) => one.name === name)).toMatchObject({ fired: sandbox.fired(name) });
  };
}

describe('faults of Firehose', () => {
  it(
    'F1',
    struck('F1', async (sandbox) => {
      const stream = await sandbox.firehose();
      sandbox.throwFault('F1');
      expect(await stream.over()).toBe('ended');
      expect(eventsOf(stream).map(({ event }) => event)).toEqual(['connected', 'end']);
    }),
  );
  it(
    'F2',
    struck('F2', async (sandbox) => {
      expect(await cutAt(sandbox, 'id')).toMatch(/\nid: 0-\d+\n$/);
      expect(await cutAt(sandbox, 'data')).toMatch(/\ndata: [^\n]+$/);
      expect(await cutAt(sandbox, 'blank')).toMatch(/\ndata: [^\n]+\n$/);
      sandbox.throwFault('F2', { after_bytes: 40 });
      const stream = await sandbox.firehose('?since=1h');
      await stream.over();
      expect(stream.bytes()).toHaveLength('event: connected\ndata: {}\n\n'.length + 40);
    }),
  );
  it(
    'F3',
    struck('F3', async (sandbox, clock) => {
      const stream = await sandbox.firehose('?timeout=10');
      await stream.has('connected');
      sandbox.throwFault('F3');
      sandbox.pages('unseen');
      await clock.pass(60_000);
      expect(eventsOf(stream).map(({ event }) => event)).toEqual(['connected']);
      expect(stream.state()).toBe('open');
    }),
  );
  it(
    'F4',
    struck('F4', async (sandbox) => {
      const stream = await sandbox.firehose();
      sandbox.pages('one');
      sandbox.throwFault('F4', { count: 2 });
      sandbox.pages('two');
      await stream.has('two');
      expect(idsOf(stream)).toEqual(['0-43368', '0-43371']);
      sandbox.throwFault('F4', { count: 2, lost: true });
      sandbox.pages('three', 'four', 'five');
      await stream.has('five');
      expect(idsOf(stream).slice(2)).toEqual(['0-43374']);
      const probe = await sandbox.firehose('?offset=43372&limit=2');
      expect(await probe.over()).toBe('ended');
      expect(idsOf(probe)).toEqual(['0-43372', '0-43373']);
    }),
  );
  it(
    'F5',
    struck('F5', async (sandbox) => {
      const ids = sandbox.pages('one', 'two', 'three', 'four');
      sandbox.throwFault('F5', { count: 2 });
      const stream = await sandbox.firehose('?limit=3', resuming(ids[2]!));
      await stream.over();
      expect(idsOf(stream)).toEqual(ids.slice(1));
    }),
  );
  it(
    'F6',
    struck('F6', async (sandbox) => {
      sandbox.pages('one', 'two');
      sandbox.throwFault('F6');
      expect(sandbox.pages('three', 'four')).toEqual(['0-0', '0-1']);
    }),
  );
  it(
    'F7',
    struck('F7', async (sandbox) => {
      sandbox.throwFault('F7');
      expect(sandbox.pages('one', 'two', 'three', 'four')).toEqual(['0-43368', '1-17', '0-43369', '1-18']);
    }),
  );
  it(
    'F8',
    struck('F8', async (sandbox) => {
      const [id] = sandbox.pages('one', 'two');
      const stream = await sandbox.firehose();
      sandbox.throwFault('F8');
      expect(await stream.over()).toBe('cut');
      const [later] = sandbox.pages('three');
      const again = await sandbox.firehose('?limit=1', resuming(id!));
      await again.over();
      expect(idsOf(again)).toEqual([later]);
    }),
  );
  it(
    'F9',
    struck('F9', async (sandbox, clock) => {
      sandbox.pages('old');
      await clock.pass(2 * 3_600_000);
      const [id] = sandbox.pages('new');
      sandbox.throwFault('F9', { seconds: 3_600 });
      const stream = await sandbox.firehose('?since=24h&limit=1');
      await stream.over();
      expect(idsOf(stream)).toEqual([id]);
    }),
  );
  it(
    'F10',
    struck('F10', async (sandbox) => {
      sandbox.throwFault('F10');
      expect((await sandbox.firehose('?since=1h', resuming('0-1'))).status).toBe(422);
      expect((await sandbox.firehose('', resuming('0-1'))).status).toBe(200);
    }),
  );
  it(
    'F11',
    struck('F11', async (sandbox) => {
      sandbox.throwFault('F11');
      const stream = await sandbox.firehose();
      expect(await stream.over()).toBe('ended');
      expect(eventsOf(stream)[1]).toMatchObject({ event: 'error', data: expect.stringMatching('No rules configured') });
    }),
  );
  it(
    'F12',
    struck('F12', async (sandbox) => {
      const stream = await sandbox.firehose();
      sandbox.throwFault('F12', { message: 'out of paper' });
      expect(await stream.over()).toBe('ended');
      expect(eventsOf(stream)[1]).toMatchObject({ event: 'error', data: '{"message":"out of paper"}' });
    }),
  );
  it(
    'F13',
    struck('F13', async (sandbox) => {
      sandbox.throwFault('F13');
      expect((await sandbox.firehose()).status).toBe(402);
      expect((await sandbox.call('/v1/rules')).status).toBe(200);
    }),
  );
  it(
    'F14',
    struck('F14', async (sandbox) => {
      const stream = await sandbox.firehose();
      sandbox.throwFault('F14', { status: 404 });
      expect(await stream.over()).toBe('cut');
      expect((await sandbox.firehose()).status).toBe(404);
      expect((await sandbox.call('/v1/rules')).status).toBe(404);
    }),
  );
  it(
    'F15',
    struck('F15', async (sandbox) => {
      sandbox.throwFault('F15', { seconds: 7 });
      const refused = await sandbox.firehose();
      expect([refused.status, refused.headers['retry-after']]).toEqual([429, '7']);
      sandbox.throwFault('F15', { on: 'rules' });
      expect((await sandbox.firehose()).status).toBe(200);
      expect((await sandbox.call('/v1/rules')).status).toBe(429);
    }),
  );
  it(
    'F16',
    struck('F16', async (sandbox) => {
      sandbox.throwFault('F16', { reason: 'not today' });
      const { status, json } = await create(sandbox, 'magma');
      expect([status, json()]).toEqual([422, { message: 'not today', errors: { value: ['not today'] } }]);
      expect(sandbox.rules('firehose')).toHaveLength(1);
    }),
  );
  it(
    'F17',
    struck('F17', async (sandbox) => {
      sandbox.throwFault('F17');
      await expect(create(sandbox, 'magma')).rejects.toThrow(/hang up|ECONNRESET/);
      expect(sandbox.rules('firehose').map(({ value }) => value)).toEqual(['lava', 'magma']);
    }),
  );
  it(
    'F18',
    struck('F18', async (sandbox) => {
      const stream = await sandbox.firehose();
      sandbox.throwFault('F18');
      sandbox.pages('one');
      sandbox.throwFault('F18', { only: true });
      sandbox.pages('two');
      await stream.has('two');
      const own = sandbox.rule.firehose.id;
      expect(datasOf(stream).map(({ query_ids }) => query_ids)).toEqual([[own, '999999999'], ['999999999']]);
    }),
  );
  it(
    'F19',
    struck('F19', async (sandbox) => {
      const stream = await sandbox.firehose();
      for (const kind of ['no-url', 'bad-time', 'future-time', 'json']) {
        sandbox.throwFault('F19', { kind });
        sandbox.pages(kind);
      }
      await until(() => updatesOf(stream).length === 4);
      const [noUrl, badTime, futureTime, notJson] = updatesOf(stream).map(({ data }) => data);
      expect(JSON.parse(noUrl!)).not.toHaveProperty('document.url');
      expect(JSON.parse(badTime!)).toMatchObject({ matched_at: 'yesterday' });
      expect(JSON.parse(futureTime!)).toMatchObject({ matched_at: '2999-01-01T00:00:00Z' });
      expect(() => JSON.parse(notJson!) as unknown).toThrow(SyntaxError);
    }),
  );
  it(
    'F20',
    struck('F20', async (sandbox) => {
      const stream = await sandbox.firehose();
      sandbox.throwFault('F20', { bytes: 5_000_000 });
      sandbox.pages('huge', 'after');
      await until(() => stream.bytes().length > 5_000_000 && stream.bytes().subarray(-400).includes('after'));
      expect(updatesOf(stream)).toHaveLength(2);
    }),
  );
  it(
    'F21',
    struck('F21', async (sandbox) => {
      const stream = await sandbox.firehose();
      sandbox.throwFault('F21');
      const [id] = sandbox.pages('odd');
      await until(() => updatesOf(stream).length === 1);
      expect(idsOf(stream)).toEqual([id]);
      expect(datasOf(stream)[0]).toMatchObject({ document: { diff: { chunks: [{ text: 'lava odd' }] } } });
      expect(stream.text()).toContain(': a comment\nretry: 999999999\r\n');
      sandbox.throwFault('F21', { bom: true });
      const marked = await sandbox.firehose();
      await marked.has('connected');
      expect(marked.bytes().subarray(0, 3)).toEqual(Buffer.of(0xef, 0xbb, 0xbf));
    }),
  );
  it(
    'F22',
    struck('F22', async (sandbox, clock) => {
      const stream = await sandbox.firehose();
      await stream.has('connected');
      sandbox.throwFault('F22', { kind: 'burst', count: 3 });
      sandbox.pages('one', 'two');
      await clock.pass(1_000);
      expect(idsOf(stream)).toEqual([]);
      sandbox.pages('three');
      await until(() => idsOf(stream).length === 3);
      sandbox.throwFault('F22', { kind: 'hold', seconds: 60 });
      sandbox.pages('four');
      await clock.pass(59_000);
      expect(idsOf(stream)).toHaveLength(3);
      await clock.pass(1_000);
      await until(() => idsOf(stream).length === 4);
      sandbox.throwFault('F22');
      sandbox.pages('five', 'six');
      await until(() => idsOf(stream).length === 6);
      expect(sandbox.fired('F22')).toBe(3);
    }),
  );
  it(
    'F24',
    struck('F24', async (sandbox) => {
      const stream = await sandbox.firehose();
      sandbox.throwFault('F24', { copies: 3 });
      sandbox.pages('one');
      await until(() => idsOf(stream).length === 3);
      expect(new Set(idsOf(stream)).size).toBe(3);
      const documents = datasOf(stream).map(({ document }) => document);
      expect(new Set(documents.map(({ url }) => url)).size).toBe(1);
      expect(new Set(documents.map(({ diff }) => JSON.stringify(diff))).size).toBe(3);
    }),
  );
  it(
    'F25',
    struck('F25', async (sandbox, clock) => {
      sandbox.throwFault('F25', { seconds: -600 });
      const stream = await sandbox.firehose();
      const theirs = clock.now().getTime() - 600_000;
      expect(Date.parse(stream.headers.date!)).toBe(theirs);
      sandbox.pages('one');
      await stream.has('one');
      expect(Date.parse(datasOf(stream)[0]!.matched_at)).toBe(theirs);
    }),
  );
  it(
    'B2',
    struck('B2', async (sandbox) => {
      sandbox.throwFault('B2', { platform: 'firehose', status: 500 });
      const adding = () => sandbox.call(RULES, { method: 'POST', body: { add: [{ value: 'magma' }] } });
      expect((await adding()).status).toBe(201);
      expect((await create(sandbox, 'magma')).status).toBe(500);
      expect(sandbox.rules('firehose')).toHaveLength(1);
      sandbox.throwFault('B2', { platform: 'x' });
      expect((await adding()).status).toBe(503);
    }),
  );

  it('are all tested', () => {
    expect([...struckNames]).toEqual(Object.keys(CATALOGUE).filter((name) => /^[FB]/.test(name)));
  });
});

describe('the switches', () => {
  it('has every row of the catalogue, here or with who throws it', () => {
    const rows = (letter: string, count: number) => Array.from({ length: count }, (_, at) => `${letter}${at + 1}`);
    const all = [...rows('X', 41), ...rows('F', 25), ...rows('B', 8)];
    expect([...Object.keys(CATALOGUE), ...Object.keys(ELSEWHERE)].toSorted()).toEqual(all.toSorted());
  });

  it('are all documented', () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/sandbox.md'), 'utf8');
    const rows = Object.entries(CATALOGUE).map(([name, { what }]) => `| ${name} | ${what} |`);
    const others = Object.entries(ELSEWHERE).map(([name, who]) => `| ${name} | ${who} |`);
    expect([...rows, ...others].filter((row) => !page.includes(row))).toEqual([]);
  });

  it('are thrown and listed over HTTP, and say what is wrong with a request', async () => {
    await using sandbox = await lavaSandbox();
    const post = (body: object) => sandbox.call('/sandbox/faults', { method: 'POST', body, token: undefined });
    const list = async (method = 'GET') =>
      (await sandbox.call('/sandbox/faults', { method, token: undefined })).json<{
        faults: { name: string; thrown: boolean; left: number; fired: number }[];
        elsewhere: { name: string }[];
      }>();
    const one = async (name: string) => (await list()).faults.find((fault) => fault.name === name);

    expect((await post({ name: 'X6', status: 500, times: 2 })).json()).toMatchObject({ thrown: true, left: 2 });
    expect((await sandbox.x()).status).toBe(500);
    expect(await one('X6')).toMatchObject({ thrown: true, left: 1, fired: 1 });
    await list('DELETE');
    expect(await one('X6')).toMatchObject({ thrown: false, left: 0, fired: 1 });
    expect((await sandbox.x()).status).toBe(200);
    expect((await list()).elsewhere.map(({ name }) => name)).toContain('B3');

    expect((await post({ name: 'X99' })).status).toBe(400);
    expect((await post({ name: 'B3' })).json()).toEqual({
      message: 'The sandbox cannot throw B3. It is a fault of the reader’s disk.',
    });
    expect((await post({ name: 'X6', seconds: 3 })).json()).toEqual({
      message: 'X6 has no parameter seconds. It has: times, status.',
    });
    expect((await post({ name: 'X6', status: '500' })).json()).toEqual({ message: 'status must be a number.' });
    expect((await sandbox.call('/sandbox/faults', { method: 'POST', body: 'no' })).status).toBe(400);
  });

  it('go back when the connection they were meant for is gone', async () => {
    await using sandbox = await lavaSandbox();
    sandbox.throwFault('X1', { after_bytes: 10_000 });
    const stream = await sandbox.x();
    stream.close();
    await until(() => sandbox.connections('x') === 0);
    expect(sandbox.faults().find(({ name }) => name === 'X1')).toMatchObject({ left: 1, fired: 0 });
  });
});
