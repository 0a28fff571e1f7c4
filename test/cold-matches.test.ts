/** Old matches in Parquet files: what callers see of them over HTTP, from threads, in a bucket, and what DuckDB reads. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createColdRound, keepCold } from '../src/app/keep-cold.ts';
import { systemClock } from '../src/base/clock.ts';
import { type ObjectStore, openObjects } from '../src/base/object-store.ts';
import { createComputeThreads } from '../src/compute/compute-threads.ts';
import { coldDrafts } from '../src/service/matches/cold-objects.ts';
import { noMetrics } from '../src/service/telemetry.ts';
import type { ColdReader } from '../src/store/db.ts';
import { createColdReader } from '../src/store/rows/whole-rows.ts';
import { openSqlite } from '../src/store/sqlite.ts';
import { addOther, at, DAY, eventOf, listed, range, ruleOf, stage, testClock } from './conformance/store/stage.ts';
import { coldOn, makeCold, memoryObjects, TEXT_KEY } from './stages/cold.ts';
import { type App, OPERATOR_KEY, startApp } from './stages/http-app.ts';
import { BUCKET, BUCKET_KEY, openObjectStore } from './stages/object-store.ts';
import { openService } from './stages/service.ts';

const duckdb = await import('@duckdb/node-api').catch(() => undefined);
const headers = { authorization: `Bearer ${OPERATOR_KEY}` };

const SEALING_KEY = new Uint8Array(32).fill(7);

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-cold-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A server with matches of five days. */
async function filledApp(from: ObjectStore | ColdReader): Promise<App> {
  const app = await startApp({ cold: 'file' in from ? from : createColdReader(from, TEXT_KEY) });
  const rule = { name: 'Lava', intent: 'Lava that flows', platforms: ['x'], overrides: { x: 'lava' } };
  await app.http.inject({ method: 'POST', url: '/api.CreateRule', headers, payload: rule });
  for (const day of range(5)) {
    const lines = range(4).map((index) => ({
      data: { id: `${day}${index}`, text: `lava "${index}" 🌋 on day ${day}` },
    }));
    const payload = lines.map((line) => JSON.stringify(line)).join('\n');
    const type = { 'content-type': 'application/x-ndjson' };
    await app.http.inject({ method: 'POST', url: '/events?platform=x', headers: { ...headers, ...type }, payload });
    app.clock.forward(DAY);
  }
  return app;
}

/** The answers about matches, each as its bytes. The cursor of the newest match is sealed anew with every answer. */
async function asked(app: App): Promise<string[]> {
  const answers: string[] = [];
  const ask = async (url: string, payload?: object) => {
    const method = payload === undefined ? ('GET' as const) : ('POST' as const);
    const answer = await app.http.inject({ method, url, headers, ...(payload && { payload }) });
    const text = answer.body.replaceAll(/"latest_cursor":"[^"]*"/g, '');
    answers.push(`${url} ${answer.statusCode} ${text}`);
    return answer;
  };
  for (const filter of [{}, { text: 'DAY 1' }, { since: at(DAY).toISOString(), until: at(3 * DAY).toISOString() }]) {
    for (let cursor: unknown = ''; cursor !== null; ) {
      const page = await ask('/matches', { ...filter, limit: 3, ...(cursor !== '' && { cursor }) });
      cursor = page.json<{ next_cursor?: string }>().next_cursor ?? null;
    }
    await ask('/api.MatchFacets', filter);
  }
  const span = { from: at(0).toISOString(), to: at(6 * DAY).toISOString(), interval: 'day' };
  for (const filter of [{}, { text: 'DAY 1' }]) await ask('/api.MatchCounts', { ...span, ...filter });
  const all = await ask('/matches', { limit: 1_000 });
  const ids = all.json<{ matches: { id: string }[] }>().matches.map(({ id }) => id);
  await ask('/api.ExplainMatch', { match_id: ids.at(-1) });
  await ask('/stories', {});
  for (const format of ['parquet', 'ndjson', 'csv']) await ask(`/export?format=${format}`);
  return answers;
}

describe('old matches in a folder', () => {
  it('are listed, counted and exported to the byte as when they were in the database', async () => {
    const objects = openObjects({ url: newFolder() });
    await using app = await filledApp(objects);
    const hot = await asked(app);
    expect(hot.filter((answer) => !/^\S+ 200 /.test(answer))).toEqual([]);
    for (const days of [3, 0]) {
      await makeCold(app.store, objects, app.clock, days);
      expect((await asked(app)).filter((answer, index) => answer !== hot[index])).toEqual([]);
    }
    expect(await app.store.coldFigures()).toMatchObject({ matches: 20, objects: 5 });
  });

  it('that are damaged are told in a refusal that names the file, and what is younger is listed', async () => {
    const objects = memoryObjects();
    const cold = coldOn(objects);
    await using app = await filledApp(cold);
    await makeCold(app.store, objects, app.clock, 2);
    const [key] = [...objects.stored.keys()].toSorted();
    objects.stored.set(key!, Buffer.from('no Parquet'));
    cold.forget();
    const list = (payload: object) => app.http.inject({ method: 'POST', url: '/matches', headers, payload });
    const answer = await list({});
    expect([answer.statusCode, answer.json()]).toMatchObject([
      503,
      {
        code: 'unavailable',
        message: expect.stringContaining(key!),
        details: { reason: 'old_matches_unreadable' },
      },
    ]);
    expect((await list({ since: at(DAY).toISOString() })).json<{ matches: [] }>().matches).toHaveLength(16);
  });
});

describe('old matches and the operator', () => {
  it('are told of in Status: how many objects, since when, when one was last written, and when that last failed', async () => {
    const objects = memoryObjects();
    let isFull = true;
    const place: ObjectStore = {
      ...objects,
      put: (key, bytes) => (isFull ? Promise.reject(new Error('no room')) : objects.put(key, bytes)),
    };
    await using app = await filledApp(place);
    const told = async () => {
      const answer = await app.http.inject({ method: 'GET', url: '/api.Status', headers });
      return answer.json<{ instance: { old_matches?: object } }>().instance.old_matches;
    };
    expect(await told()).toBeUndefined();
    const warnings: string[] = [];
    const log = { info: () => {}, error: () => {}, warn: (_: object, message: string) => void warnings.push(message) };
    /** So many rounds, then a stop. */
    async function rounds(count: number): Promise<void> {
      const stopping = new AbortController();
      let left = count;
      const clock = { ...app.clock, sleep: async () => void (--left === 0 && stopping.abort()) };
      const deps = { store: app.store, objects: place, drafts: app.store, hotDays: 0, clock };
      await keepCold(deps, { log, signal: stopping.signal });
    }
    await rounds(1);
    const failed = app.clock.now().toISOString();
    expect(warnings).toEqual(['old matches could not be moved into objects, or objects not deleted']);
    expect(await told()).toEqual({
      objects: 0,
      matches: 0,
      bytes: 0,
      oldest_day: null,
      last_write_at: null,
      last_failure_at: failed,
    });
    isFull = false;
    app.clock.forward(60_000);
    await rounds(20);
    const bytes = [...objects.stored.values()].reduce((sum, { length }) => sum + length, 0);
    expect(await told()).toEqual({
      objects: 5,
      matches: 20,
      bytes,
      oldest_day: '2026-11-15',
      last_write_at: app.clock.now().toISOString(),
      last_failure_at: failed,
    });
  });
});

describe('old matches and compute threads', () => {
  it('are written and read there, beside the thread that answers', async () => {
    const folder = newFolder();
    const [path, place, clock] = [join(folder, 'sluice.db'), { url: join(folder, 'cold') }, testClock()];
    const cold = createColdReader(openObjects(place), TEXT_KEY);
    await using store = await openSqlite(path, { clock, textKey: TEXT_KEY, cold });
    let computed = 0;
    await using compute = createComputeThreads({
      threads: 1,
      order: {
        storeUrl: `sqlite:${path}`,
        settings: { version: '0.0.0', startedAt: new Date(0), support: '', recentEvents: 1_000, retentionDays: 30 },
        shapes: { x: 'local', firehose: 'local' },
        language: { local: true },
        sealingKey: SEALING_KEY,
        cold: { place, textKey: TEXT_KEY },
      },
      clock: systemClock,
      log: { info: () => {}, warn: () => {}, error: () => {} },
      metrics: { ...noMetrics, computed: () => void computed++ },
    });
    await using test = await openService({ store, compute, delivery: { sealingKey: SEALING_KEY } });
    const caller = await test.caller('one');
    const { account } = caller;
    const rule = ruleOf(account);
    await store.addRule(rule, {});
    for (const day of range(3))
      await store.commit({ platform: 'x', at: at(day * DAY), events: [eventOf(`p${day}`, [rule])] });
    clock.at = at(3 * DAY).getTime();
    const drafts = coldDrafts(compute, new AbortController().signal);
    const before = JSON.stringify(await store.matches({ accountId: account.id, limit: 9 }));
    const round = createColdRound({ store, objects: cold.objects, drafts, hotDays: 0, clock }, (error) => {
      throw error;
    });
    while (await round());
    expect(await store.coldFigures()).toMatchObject({ matches: 3, objects: 3 });
    expect(JSON.stringify(await store.matches({ accountId: account.id, limit: 9 }))).toBe(before);
    await store.deleteMatches(account.id, 'x', 'p1');
    while (await round());
    expect(await listed(store, { accountId: account.id })).toEqual(['p2', 'p0']);
    expect(await store.coldFigures()).toMatchObject({ matches: 2, objects: 2 });
    // The thread reads them with a view of its own.
    const { matches } = await test.call(caller, 'listMatches', { text: 'POST', limit: 9 });
    expect(matches.map(({ payload }) => payload)).toEqual(
      ['p2', 'p0'].map((id) => ({ data: { id, text: `post ${id}` } })),
    );
    // Three objects were written there, one was written anew, and the list was read.
    expect(computed).toBe(5);
    // A day that was moved in two parts is one object, which the thread has written.
    await store.commit({ platform: 'x', at: at(2 * DAY), events: [eventOf('p3', [rule])] });
    const later = createColdRound({ store, objects: cold.objects, drafts, hotDays: 0, clock }, (error) => {
      throw error;
    });
    while (await later());
    clock.at += DAY;
    while (await later());
    expect(await listed(store, { accountId: account.id })).toEqual(['p3', 'p2', 'p0']);
    expect(await store.coldFigures()).toMatchObject({ matches: 3, objects: 2 });
    expect(computed).toBe(7);
  });
});

describe('old matches that cannot be moved', () => {
  it('keep no other account from it, and are tried again after a minute', async () => {
    const objects = memoryObjects();
    const { put } = objects;
    const clock = testClock();
    await using stand = await stage((options) => openSqlite(':memory:', { ...options, clock, cold: coldOn(objects) }));
    const { store, account, rule } = stand;
    const other = await addOther(store);
    for (const day of range(2))
      await store.commit({ platform: 'x', at: at(day * DAY), events: [eventOf(`p${day}`, [rule, other.rule])] });
    clock.at = at(3 * DAY).getTime();
    objects.put = (key, bytes) => (key.includes(account.id) ? Promise.reject(new Error('full')) : put(key, bytes));
    const problems: string[] = [];
    const round = createColdRound({ store, objects, drafts: store, hotDays: 0, clock }, (error) => {
      problems.push((error as Error).message);
    });
    const rounds = async () => {
      for (const _ of range(9)) await round();
      return [(await store.coldFigures()).matches, problems];
    };
    expect(await rounds()).toEqual([2, ['full']]);
    objects.put = put;
    clock.at += 60_000;
    expect(await rounds()).toEqual([4, ['full']]);
  });
});

describe('objects that cannot be deleted', () => {
  it('keep no other from it, and are tried again after a minute', async () => {
    const objects = memoryObjects();
    const { remove } = objects;
    const clock = testClock();
    await using store = await openSqlite(':memory:', { clock, cold: coldOn(objects) });
    const keys = [...range(25).map((number) => `locked ${number}`), ...range(25).map((number) => `open ${number}`)];
    for (const key of keys) {
      objects.stored.set(key, new Uint8Array());
      await store.planColdObject(key, at(0));
    }
    clock.at = at(1).getTime();
    objects.remove = (key) => (key.startsWith('locked') ? Promise.reject(new Error('locked')) : remove(key));
    const problems: unknown[] = [];
    const round = createColdRound(
      { store, objects, drafts: store, hotDays: undefined, clock },
      (error) => void problems.push(error),
    );
    const rounds = async () => {
      for (const _ of range(9)) await round();
      return [objects.stored.size, problems.length];
    };
    expect(await rounds()).toEqual([25, 25]);
    objects.remove = remove;
    expect(await rounds()).toEqual([25, 25]);
    clock.at += 60_000;
    expect(await rounds()).toEqual([0, 25]);
    expect(await store.takeColdLeftovers(clock.now(), 100)).toEqual([]);
  });

  it('end a round when there are many of them', async () => {
    const keys = range(500).map(String);
    const store = { takeColdLeftovers: async (_: Date, limit: number) => keys.slice(0, limit) };
    const objects = { ...memoryObjects(), remove: () => Promise.reject(new Error('locked')) };
    const problems: unknown[] = [];
    await makeCold(
      { ...(await openSqlite(':memory:')), ...store },
      objects,
      testClock(),
      undefined,
      (error) => void problems.push(error),
    );
    expect(problems).toHaveLength(100);
  });
});

describe('old matches in a bucket', () => {
  it('lie below the prefix, are signed for, and stay in the database while the store refuses', async () => {
    await using bucket = await openObjectStore();
    const url = `s3://${BUCKET}/cold/matches?endpoint=${bucket.url}&region=eu-central-1`;
    const objects = openObjects({ url, credential: BUCKET_KEY });
    const clock = testClock();
    const cold = coldOn(objects);
    await using stand = await stage((options) => openSqlite(':memory:', { ...options, clock, cold }));
    const { store, account, rule } = stand;
    for (const day of range(3))
      await store.commit({ platform: 'x', at: at(day * DAY), events: [eventOf(`p${day}`, [rule])] });
    clock.at = at(3 * DAY).getTime();
    const before = JSON.stringify(await store.matches({ accountId: account.id, limit: 9 }));
    const list = async () => {
      cold.forget();
      return JSON.stringify(await store.matches({ accountId: account.id, limit: 9 }));
    };
    for (const [fault, why] of [
      ['503', 'the store answered 503 (SlowDown)'],
      ['cut before', 'fetch failed'],
      ['cut after', 'fetch failed'],
    ] as const) {
      bucket.faults.push(fault);
      await expect(makeCold(store, objects, clock, 0)).rejects.toThrow(why);
      expect([await list(), (await store.coldFigures()).matches]).toEqual([before, 0]);
    }
    await makeCold(store, objects, clock, 0);
    expect([await list(), (await store.coldFigures()).matches]).toEqual([before, 3]);
    expect(
      [...bucket.stored].every((key) => key.startsWith(`cold/matches/account_id=${account.id}/day=2026-11-1`)),
    ).toBe(true);
    // An object that was written and not taken into use is deleted an hour later.
    clock.at += 2 * 3_600_000;
    await makeCold(store, objects, clock, 0);
    const [first] = await Promise.all(bucket.puts.map((key) => objects.get(key.slice('cold/matches/'.length))));
    expect(first).toBeUndefined();
    await store.deleteMatches(account.id, 'x', 'p1');
    await makeCold(store, objects, clock, 0);
    expect(await listed(store, { accountId: account.id })).toEqual(['p2', 'p0']);
    const wrong = openObjects({ url, credential: `${BUCKET_KEY}x` });
    await expect(wrong.put('other', new Uint8Array(9))).rejects.toThrow('the store answered 403');
  });
});

describe.skipIf(duckdb === undefined)('duckdb: old matches', () => {
  it('are tables to DuckDB as they lie, by account and day', async () => {
    const folder = newFolder();
    const objects = openObjects({ url: folder });
    await using app = await filledApp(objects);
    await makeCold(app.store, objects, app.clock, 2);
    const instance = await duckdb!.DuckDBInstance.create(':memory:');
    const connection = await instance.connect();
    try {
      const files = `read_parquet('${folder}/*/*/*.parquet', hive_partitioning = true)`;
      const ask = async (sql: string) => (await connection.runAndReadAll(sql)).getRowsJson();
      expect(
        await ask(`SELECT day, count(*), count(DISTINCT account_id) FROM ${files} GROUP BY day ORDER BY day`),
      ).toEqual([
        ['2026-11-15', '4', '1'],
        ['2026-11-16', '4', '1'],
        ['2026-11-17', '4', '1'],
      ]);
      const listing = await app.http.inject({
        method: 'POST',
        url: '/matches',
        headers,
        payload: { until: at(3 * DAY).toISOString() },
      });
      const { matches } = listing.json<{
        matches: {
          id: string;
          created_at: string;
          rule_id: string;
          event_id: string;
          story_id: string;
          payload: { data: { text: string } };
        }[];
      }>();
      expect(
        await ask(
          `SELECT id, epoch_ms(created_at), rule_id, event_id, story_id, json_extract_string(payload, '$.data.text') FROM ${files} ORDER BY position DESC`,
        ),
      ).toEqual(
        matches.map((match) => [
          match.id,
          String(Date.parse(match.created_at)),
          match.rule_id,
          match.event_id,
          match.story_id,
          match.payload.data.text,
        ]),
      );
    } finally {
      connection.closeSync();
      instance.closeSync();
    }
  });
});
