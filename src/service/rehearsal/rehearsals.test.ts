import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { parquetWriteFile } from 'hyparquet-writer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AnswerOf, openService, type TestService } from '../../../test/stages/service.ts';
import { SourceError } from '../../sources/fetch/source-error.ts';
import { historyFiles } from '../../sources/history/files.ts';
import type { HistoryArchive, HistoryOptions, HistoryPart, HistorySpan } from '../../sources/history/history.ts';
import type { Caller } from '../access/caller.ts';
import { type Metrics, noMetrics } from '../telemetry.ts';

const START = Date.parse('2026-11-15T08:00:00Z');
const post = (number: number, text: string, more: object = {}) => ({
  data: { id: String(number), text, lang: 'en', created_at: new Date(START + number * 60_000).toISOString(), ...more },
});
const lines = (records: readonly unknown[]): string =>
  records.map((one) => `${typeof one === 'string' ? one : JSON.stringify(one)}\n`).join('');

const POSTS = [
  post(0, 'Lava flows over the road'),
  post(1, 'A quiet morning'),
  post(2, 'Lava reaches the sea', { lang: 'es' }),
  'no JSON',
  { url: 'https://example.org/', title: 'Lava', added: 'Lava on a page' },
  post(30, 'LAVA again'),
  post(31, 'Lava again'),
];

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-history-'));
  mkdirSync(join(folder, 'below', '2026'), { recursive: true });
  const below = (name: string) => join(folder, 'below', name);
  writeFileSync(below('posts.ndjson'), lines(POSTS));
  writeFileSync(below('2026/posts.jsonl.gz'), gzipSync(lines(POSTS)));
  writeFileSync(join(folder, 'outside.ndjson'), lines(POSTS));
  writeFileSync(below('empty.ndjson'), '');
  symlinkSync(join(folder, 'outside.ndjson'), below('link.ndjson'));
  symlinkSync(folder, below('up'));
  const rows = POSTS.filter((one) => typeof one === 'object' && 'data' in one) as { data: Record<string, string> }[];
  const columns = ['id', 'text', 'lang', 'created_at'].map((name) => ({
    name,
    data: rows.map(({ data }) => data[name]!),
    type: 'STRING' as const,
  }));
  parquetWriteFile({ filename: below('posts.parquet'), columnData: columns, rowGroupSize: 2 });
});
afterAll(() => rmSync(folder, { recursive: true }));

const open = (archive?: HistoryArchive, metrics: Metrics = noMetrics) =>
  openService({ history: { files: historyFiles(join(folder, 'below')), archive }, metrics });

/** Asks until the job has ended. */
async function ended(test: TestService, caller: Caller, id: string): Promise<AnswerOf<'getRehearsal'>> {
  for (;;) {
    const answer = await test.call(caller, 'getRehearsal', { rehearsal_id: id });
    if (answer.ended_at !== null) return answer;
    await setImmediate();
  }
}

async function rehearsed(test: TestService, caller: Caller, input: object) {
  const { id } = await test.call(caller, 'rehearseRule', input);
  return ended(test, caller, id);
}

it('on recent events is charged to its account', async () => {
  await using test = await open();
  const caller = await test.caller('one');
  const charged: unknown[] = [];
  test.service.context.cpuUse.listen(({ account }, _milliseconds, by) => charged.push([account.id, by]));
  await rehearsed(test, caller, { platforms: ['x'], overrides: { x: 'lava' } });
  expect(charged).toEqual([[caller.account.id, 'turn']]);
});

const lava = { platforms: ['x'], overrides: { x: 'lava lang:en' } };
const ids = (samples: readonly { platform_post_id: string }[]) => samples.map((one) => one.platform_post_id);

describe('a rehearsal', () => {
  it.each(['posts.ndjson', '2026/posts.jsonl.gz', 'posts.parquet'])(
    'finds in %s what the rule matches: over time, in languages, as stories, with near misses',
    async (file) => {
      await using test = await open();
      const ada = await test.caller('ada');
      const answer = await rehearsed(test, ada, { ...lava, history: { kind: 'file', file } });
      expect(answer).toMatchObject({ status: 'done', progress: 1, queries: { x: 'lava lang:en' } });
      const { x, firehose } = answer.result.platforms;
      expect(firehose).toBeUndefined();
      expect(answer.result.unreadable).toBe(file.endsWith('parquet') ? 0 : 1);
      expect(x).toMatchObject({
        events: 5,
        matched: 3,
        from: '2026-11-15T08:00:00.000Z',
        to: '2026-11-15T08:31:00.000Z',
        languages: [{ language: 'en', matched: 3 }],
        month: { basis: 'file', matches: Math.round((3 * 30 * 24 * 60) / 31), cost: null },
      });
      expect(x!.timeline).toEqual({
        seconds: 60,
        counts: [0, 30, 31].map((minute) => ({ at: new Date(START + minute * 60_000).toISOString(), matched: 1 })),
      });
      expect(x!.near_misses).toMatchObject([
        { text: 'lava', span: { start: 0, end: 4 }, missed: 1, samples: [{ platform_post_id: '1' }] },
        { text: 'lang:en', missed: 1, samples: [{ platform_post_id: '2' }] },
      ]);
      expect(ids(x!.newest)).toEqual(['31', '30', '0']);
      expect(ids(x!.first)).toEqual(['0', '30', '31']);
      expect(x!.newest[0]!.highlights).toContainEqual({ field: 'data.text', start: 0, end: 4 });
      expect(x!.stories.count).toBe(x!.stories.largest.length);
      expect(x!.stories.largest.map(({ title }) => title)).toContain('Lava flows over the road');
    },
  );

  it('takes a stored rule on both platforms, and prices what to expect', async () => {
    await using test = await openService({
      history: { files: historyFiles(join(folder, 'below')) },
      prices: { x: 0.005, firehose: 0 },
    });
    const ada = await test.caller('ada');
    const rule = {
      name: 'Lava',
      intent: '',
      platforms: ['x', 'firehose'],
      overrides: { x: 'lava', firehose: 'added:lava' },
    };
    const { rule_id } = await test.call(ada, 'createRule', rule);
    const answer = await rehearsed(test, ada, { rule_id, history: { kind: 'file', file: 'posts.ndjson' } });
    expect(answer.rule_id).toBe(rule_id);
    const { x, firehose } = answer.result.platforms;
    expect([x!.matched, firehose!.matched]).toEqual([4, 1]);
    expect(x!.month.cost).toBe(Math.round(x!.month.matches! * 0.5) / 100);
    expect(x!.near_misses).toEqual([]);
    expect(firehose!.month).toEqual({ basis: 'too_short', matches: null, cost: null, currency: null });
  });

  it('goes through the recent events, the caller’s own and those that all see', async () => {
    await using test = await open();
    const [ada, bob] = [await test.caller('ada'), await test.caller('bob')];
    await test.post(ada, 'lava one', 'rain');
    await test.post(bob, 'lava two');
    const answer = await rehearsed(test, ada, { platforms: ['x'], overrides: { x: 'lava' } });
    expect(answer).toMatchObject({ status: 'done', events: 2, result: { platforms: { x: { matched: 1 } } } });
    expect(answer.result.platforms.x!.month.basis).toBe('too_short');
  });

  it('of an empty file is done, and says that nothing was there', async () => {
    await using test = await open();
    const ada = await test.caller('ada');
    const answer = await rehearsed(test, ada, { ...lava, history: { kind: 'file', file: 'empty.ndjson' } });
    expect(answer).toMatchObject({ status: 'done', events: 0 });
    expect(answer.result.platforms.x).toMatchObject({ events: 0, matched: 0, from: null });
  });

  it.each([
    '../outside.ndjson',
    'up/outside.ndjson',
    'link.ndjson',
    'below/../../outside.ndjson',
    '/etc/passwd',
    '2026',
    '2026/posts.jsonl.gz/../../../outside.ndjson',
    'posts.ndjson\0.ndjson',
    'missing.ndjson',
  ])('does not open %j', async (file) => {
    await using test = await open();
    const ada = await test.caller('ada');
    await expect(test.call(ada, 'rehearseRule', { ...lava, history: { kind: 'file', file } })).rejects.toMatchObject({
      code: 'invalid_argument',
      details: { issues: [{ path: 'history.file' }] },
    });
  });

  it('is refused where the operator has set neither folder nor archive', async () => {
    await using test = await openService();
    const ada = await test.caller('ada');
    const span = { from: '2026-11-14T08:00:00Z', to: '2026-11-15T08:00:00Z' };
    for (const history of [
      { kind: 'file', file: 'posts.ndjson' },
      { kind: 'archive', ...span },
    ])
      await expect(test.call(ada, 'rehearseRule', { ...lava, history })).rejects.toMatchObject({
        code: 'failed_precondition',
      });
  });

  it.each([
    [{}, 'rule_id'],
    [{ ...lava, rule_id: 'rule_1' }, 'rule_id'],
    [{ overrides: { x: 'lava' } }, 'platforms'],
    [{ platforms: ['x'], overrides: { x: 'lava (' } }, 'overrides.x'],
    [{ ...lava, history: { kind: 'archive', from: '2026-11-14T08:00:00Z', to: '2026-11-14T08:00:00Z' } }, 'history.to'],
    [{ ...lava, history: { kind: 'archive', from: '2026-11-01T08:00:00Z', to: '2026-11-14T08:00:00Z' } }, 'history.to'],
  ])('refuses %j', async (input, path) => {
    await using test = await open(archiveOf([]));
    const ada = await test.caller('ada');
    await expect(test.call(ada, 'rehearseRule', input)).rejects.toMatchObject({
      code: 'invalid_argument',
      details: { issues: [expect.objectContaining({ path })] },
    });
  });
});

const partOf = (number: number): HistoryPart => ({
  events: [{ platform: 'x', payload: post(number, `lava ${number}`), at: START + number * 60_000 }],
  unreadable: 0,
  position: String(number + 1),
  progress: undefined,
});

/** Yields what is given: parts, or errors to throw. */
const archiveOf = (items: readonly (HistoryPart | Error)[]) => {
  const opened: { span: HistorySpan; position: string | undefined }[] = [];
  const left = [...items];
  return Object.assign(
    {
      async *read(span: HistorySpan, { position }: HistoryOptions) {
        opened.push({ span, position });
        for (let next = left.shift(); next !== undefined; next = left.shift()) {
          if (next instanceof Error) throw next;
          yield next;
        }
      },
    },
    { opened },
  );
};

const archived = { ...lava, history: { kind: 'archive', from: '2026-11-15T08:00:00Z', to: '2026-11-15T12:00:00Z' } };

describe('a rehearsal of an archive', () => {
  it('goes on where it was, after the time that the archive asks for', async () => {
    const archive = archiveOf([partOf(0), partOf(1), new SourceError('busy', { retryAfter: 0.001 }), partOf(2)]);
    await using test = await open(archive);
    const ada = await test.caller('ada');
    const answer = await rehearsed(test, ada, archived);
    expect(answer).toMatchObject({ status: 'done', events: 3, result: { platforms: { x: { matched: 3 } } } });
    expect(answer.error).toBeUndefined();
    expect(archive.opened).toEqual([
      { span: { from: START, to: START + 4 * 3_600_000 }, position: undefined },
      { span: { from: START, to: START + 4 * 3_600_000 }, position: '2' },
    ]);
  });

  it('fails when the archive fails again and again, with its words, and all of it is counted', async () => {
    const failures = Array.from({ length: 8 }, () => new SourceError('It is down.', { retryAfter: 0 }));
    const counted = { events: 0, outcomes: [] as string[] };
    const told = { failed: Promise.withResolvers<void>(), done: Promise.withResolvers<void>() };
    await using test = await open(archiveOf([partOf(0), ...failures, partOf(1)]), {
      ...noMetrics,
      rehearsed(events) {
        counted.events += events;
        expect(test.service.context.rehearsals.running).toBe(1);
      },
      rehearsal(outcome) {
        counted.outcomes.push(outcome);
        if (outcome !== 'retrying') told[outcome].resolve();
      },
    });
    const ada = await test.caller('ada');
    expect(await rehearsed(test, ada, archived)).toMatchObject({ status: 'failed', error: 'It is down.', events: 1 });
    await told.failed.promise;
    expect(counted).toEqual({ events: 1, outcomes: [...Array(7).fill('retrying'), 'failed'] });
    expect(await rehearsed(test, ada, lava)).toMatchObject({ status: 'done' });
    await told.done.promise;
  });

  it('stops when it is cancelled, and leaves its place to the next; three of an account may wait', async () => {
    const waiting = Promise.withResolvers<void>();
    const stopped = Promise.withResolvers<void>();
    const archive: HistoryArchive = {
      async *read(_, { signal }) {
        yield partOf(0);
        waiting.resolve();
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        stopped.resolve();
      },
    };
    await using test = await open(archive);
    const [ada, bob] = [await test.caller('ada'), await test.caller('bob')];
    const { id } = await test.call(ada, 'rehearseRule', archived);
    await waiting.promise;
    const others = [await test.call(ada, 'rehearseRule', lava), await test.call(ada, 'rehearseRule', lava)];
    await expect(test.call(ada, 'rehearseRule', lava)).rejects.toMatchObject({
      code: 'resource_exhausted',
      details: { limit_code: 'rehearsals' },
    });
    await expect(test.call(bob, 'cancelRehearsal', { rehearsal_id: id })).rejects.toMatchObject({ code: 'not_found' });
    await expect(test.call(bob, 'getRehearsal', { rehearsal_id: id })).rejects.toMatchObject({ code: 'not_found' });
    expect((await test.call(bob, 'listRehearsals')).rehearsals).toEqual([]);
    expect(await test.call(ada, 'cancelRehearsal', { rehearsal_id: id })).toMatchObject({ status: 'cancelled' });
    await stopped.promise;
    for (const other of others) expect(await ended(test, ada, other.id)).toMatchObject({ status: 'done' });
    expect(await test.call(ada, 'cancelRehearsal', { rehearsal_id: others[0]!.id })).toMatchObject({ status: 'done' });
    expect((await test.call(ada, 'listRehearsals')).rehearsals.map((one) => one.status)).toEqual([
      'done',
      'done',
      'cancelled',
    ]);
  });

  it('begins at its checkpoint when another process takes over', async () => {
    const held = Promise.withResolvers<void>();
    /** As many records as a checkpoint is made after. */
    const many = { ...partOf(0), unreadable: 20_000, position: '20000' };
    const first: HistoryArchive = {
      async *read(_, { signal }) {
        yield many;
        held.resolve();
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      },
    };
    const test = await open(first);
    const ada = await test.caller('ada');
    const { id } = await test.call(ada, 'rehearseRule', archived);
    await held.promise;
    await test[Symbol.asyncDispose]();
    const second = archiveOf([partOf(20_000)]);
    await using again = await openService({ store: test.store, history: { archive: second } });
    const answer = await ended(again, ada, id);
    expect(second.opened.map(({ position }) => position)).toEqual(['20000']);
    expect(answer).toMatchObject({ status: 'done', events: 20_002, result: { platforms: { x: { matched: 2 } } } });
  });

  it('takes turns with those of other accounts', async () => {
    const order: string[] = [];
    const part = (from: number): HistoryPart => ({
      events: [],
      unreadable: 20_000,
      position: String(from + 1),
      progress: undefined,
    });
    const both = Promise.withResolvers<void>();
    const archive: HistoryArchive = {
      async *read({ to }, { position }) {
        await both.promise;
        for (let number = Number(position ?? 0); number < 3; number++) {
          order.push(to === START + 4 * 3_600_000 ? 'ada' : 'bob');
          // Turns go by the millisecond in which the last one ended, and no part of an archive is read within one.
          for (const now = Date.now(); Date.now() === now; ) await setImmediate();
          yield part(number);
        }
      },
    };
    await using test = await open(archive);
    const [ada, bob] = [await test.caller('ada'), await test.caller('bob')];
    const one = await test.call(ada, 'rehearseRule', archived);
    const two = await test.call(ada, 'rehearseRule', archived);
    const other = { ...lava, history: { ...archived.history, to: '2026-11-15T11:00:00Z' } };
    const three = await test.call(bob, 'rehearseRule', other);
    both.resolve();
    await ended(test, ada, one.id);
    await ended(test, bob, three.id);
    await ended(test, ada, two.id);
    expect(order.slice(0, 6)).toEqual(['ada', 'bob', 'ada', 'bob', 'ada', 'bob']);
    expect(order.slice(6)).toEqual(['ada', 'ada', 'ada']);
  });
});
