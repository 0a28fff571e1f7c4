/** Compute threads answer what the main thread would answer, on both stores, and they see what was stored before. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { createComputeThreads } from '../../src/compute/compute-threads.ts';
import { computedOperations } from '../../src/compute/jobs.ts';
import { textsOfRequest } from '../../src/rules/rule-text.ts';
import type { Caller } from '../../src/service/access/caller.ts';
import type { Context } from '../../src/service/context.ts';
import { BOUNDS, EXPORT_FORMATS, exportMatches } from '../../src/service/matches/export-matches.ts';
import { listMatchesText, pageOfMatches } from '../../src/service/matches/matches.ts';
import { type OperationName, operations } from '../../src/service/operations.ts';
import type { ComputedOperation } from '../../src/service/perform/operation.ts';
import { perform, performAsText } from '../../src/service/perform/perform.ts';
import { checkRule } from '../../src/service/previews/check-rule.ts';
import { rehearseRecent } from '../../src/service/rehearsal/recent.ts';
import { noMetrics } from '../../src/service/telemetry.ts';
import { openPostgres } from '../../src/store/postgres.ts';
import { openSqlite } from '../../src/store/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { startPostgresWithTables, type TestPostgres } from '../stages/postgres.ts';
import { openService } from '../stages/service.ts';

const KEY = new Uint8Array(32).fill(7);
const REQUEST = { idempotencyKey: undefined, signal: new AbortController().signal };
const SETTINGS = {
  version: '0.0.0',
  startedAt: new Date(0),
  support: 'help@sluice.example',
  recentEvents: 1_000,
  retentionDays: 30,
};

const threadsOn = (storeUrl: string, onComputed = () => {}) =>
  createComputeThreads({
    threads: 1,
    order: {
      storeUrl,
      settings: SETTINGS,
      shapes: { x: 'local', firehose: 'local' },
      language: { local: true },
      sealingKey: KEY,
    },
    clock: systemClock,
    log: { info: () => {}, warn: () => {}, error: () => {} },
    metrics: { ...noMetrics, computed: onComputed },
  });

/** One service without threads and one with them, on the same store. */
async function stage(store: Store, storeUrl: string) {
  const used = { computed: 0 };
  const compute = threadsOn(storeUrl, () => void used.computed++);
  const here = await openService({ store, delivery: { sealingKey: KEY } });
  const there: Context = { ...here.service.context, compute };
  const alice = await here.caller('alice');
  const answers = async (name: OperationName, input: object, caller: Caller = alice) => {
    const operation: ComputedOperation = computedOperations.find((one) => one.name === name)!;
    const before = used.computed;
    const ask = (context: Context) =>
      perform(context, operation, caller, input, REQUEST).catch(({ code, message, details }) => ({
        code,
        message,
        details,
      }));
    const [inline, threaded] = [await ask(here.service.context), await ask(there)];
    expect(used.computed, `${name} in a thread`).toBe(before + 1);
    const text = await performAsText(there, operation, caller, input, REQUEST).catch(() => undefined);
    return { inline, threaded, text: text === undefined ? undefined : JSON.parse(String(text)) };
  };
  return {
    here,
    there,
    alice,
    answers,
    used,
    [Symbol.asyncDispose]: async () => {
      await compute[Symbol.asyncDispose]();
      await here[Symbol.asyncDispose]();
    },
  };
}

type Stage = Awaited<ReturnType<typeof stage>>;

/** Rules, posts, ratings and a webhook, so that every operation has something to say. */
async function fill({ here, alice }: Stage) {
  const create = async (name: string, text: string) => {
    const rule = { name, intent: 'storms at sea', platforms: ['x'], overrides: { x: text } };
    return (await here.call(alice, 'createRule', rule)).rule_id;
  };
  const [storm, rain] = [await create('Storms', 'storm'), await create('Rain', 'rain -sale')];
  const texts = Array.from(
    { length: 30 },
    (_, at) => `storm ${at} ${at % 2 ? 'rain at sea' : 'on sale today'} #w${at % 3}`,
  );
  await here.post(alice, ...texts);
  const matches = (await here.everyMatch(alice)).filter(({ rule_id }) => rule_id === storm);
  for (const [at, { id }] of matches.entries())
    await here.call(alice, 'rateMatch', { match_id: id, rating: at % 2 ? 'irrelevant' : 'relevant' });
  const webhook = await here.call(alice, 'createWebhook', { url: 'https://receiver.example/hook', rule_ids: [storm] });
  return { storm, rain, match_id: matches[0]!.id, webhook_id: webhook.id };
}

const platform = 'x';
const CASES: Record<string, (made: Awaited<ReturnType<typeof fill>>) => readonly object[]> = {
  explainMatch: ({ match_id }) => [{ match_id }, { match_id: 'match_none' }],
  listStories: ({ storm }) => [{}, { rule_id: storm, limit: 1 }, { rule_id: 'rule_none' }],
  matchCounts: ({ storm }) => [
    { rule_id: storm, text: 'sale' },
    { min_relevance: 0.4, interval: 'day' },
  ],
  matchFacets: ({ storm }) => [
    {},
    { rule_id: storm, limit: 2, min_relevance: 0.2 },
    { rule_id: 'rule_none' },
    { odd: 1 },
  ],
  rehearseWake: ({ storm }) => [
    { rule_ids: [storm], wake: { per: 'story', min_relevance: 0.4 } },
    { rule_ids: ['rule_none'], wake: {} },
    { rule_ids: [storm] },
  ],
  ruleOverlap: ({ storm, rain }) => [{}, { rule_ids: [storm, rain] }],
  nearMisses: ({ storm }) => [{ rule_id: storm }, { platform, value: 'storm calm' }, { platform, value: '(storm' }],
  explainEvent: ({ storm }) => [
    { rule_id: storm, text: 'stormy seas' },
    { rule_id: storm, event: { data: { id: '1', text: 'Storms at sea' } } },
    { rule_id: storm, url: 'https://x.com/a/status/404' },
    { rule_id: storm },
  ],
  previewRule: () => [
    { platforms: ['x'], overrides: { x: 'storm sea' }, instead_of: { overrides: { x: 'storm' } } },
    { platforms: ['x'], overrides: { x: '(' } },
  ],
  translateRule: () => [{ platform, value: 'storm #w1 lang:en' }],
  validateRule: () => [
    { platform, value: 'storm', event: { data: { id: '1', text: 'a storm' } } },
    { platform, value: `storm ${'a'.repeat(1_100)}` },
    { platform, value: 'storm', event: { data: {} } },
  ],
  draftRule: ({ storm }) => [
    { rule_id: storm },
    { platform, wanted: [{ data: { id: '1', text: 'volcano erupts' } }], unwanted: [] },
  ],
  suggestChanges: ({ storm, rain }) => [{ rule_id: storm }, { rule_id: rain }],
  webhookStats: ({ webhook_id }) => [{ webhook_id }, { webhook_id: 'hook_none' }],
};

/** Ids and times of the moment differ between two calls. */
const settled = (answer: unknown): unknown =>
  JSON.parse(
    JSON.stringify(answer, (name, value: unknown) =>
      name === 'histogram' || (typeof value === 'string' && value.startsWith('sugg_')) ? 'of the moment' : value,
    ),
  );

const asDates = (name: string, value: unknown): unknown => (name === 'createdAt' ? new Date(String(value)) : value);

function suite(open: () => Promise<{ store: Store; url: string; close: () => Promise<void> }>) {
  it('answer every computed operation as the main thread does', async () => {
    const { store, url, close } = await open();
    await using test = await stage(store, url);
    const made = await fill(test);
    for (const [name, inputsOf] of Object.entries(CASES)) {
      for (const input of inputsOf(made)) {
        const { inline, threaded, text } = await test.answers(name as OperationName, input);
        const about = `${name} ${JSON.stringify(input).slice(0, 200)}`;
        expect(settled(threaded), about).toEqual(settled(inline));
        expect(settled(text ?? inline), about).toEqual(settled(inline));
      }
    }
    const request = { overrides: { x: 'storm sea' }, intent: 'whales', limit: 2, translate: true };
    const wish = { accountId: test.alice.account.id, signal: REQUEST.signal };
    const checked = await test.there.compute.run(checkRule, { caller: test.alice, request }, wish);
    const expected = await checkRule.run(test.here.service.context, { caller: test.alice, request });
    expect(settled(checked)).toEqual(settled(expected));
    const rehearsed = { accountId: test.alice.account.id, texts: textsOfRequest({ x: 'storm sea' }, undefined) };
    expect(await test.there.compute.run(rehearseRecent, rehearsed, wish)).toEqual(
      await rehearseRecent.run(test.here.service.context, rehearsed),
    );
    const here = test.here.service.context;
    const short = { limit: 50, text: 'no such words' };
    for (const input of [{ limit: 50, text: 'sale' }, short, { limit: 101 }, { limit: 2, min_relevance: 0.1 }]) {
      const pages = await Promise.all(
        [here, test.there].map(async (context) => {
          const page = JSON.parse(String(await listMatchesText(context, test.alice, input, REQUEST)));
          // No two cursors of a place are equal.
          return { ...page, latest_cursor: '', coverage: {} };
        }),
      );
      expect(pages[1], JSON.stringify(input)).toEqual(pages[0]);
      expect(await pageOfMatches(test.there, test.alice, input, REQUEST)).toEqual(
        JSON.parse(JSON.stringify(await pageOfMatches(here, test.alice, input, REQUEST)), asDates),
      );
    }
    const fileOf = async (context: Context, format: string) => {
      const bounds = { ...BOUNDS, pageRows: 7 };
      const file = await exportMatches(context, test.alice, { format }, REQUEST.signal, bounds);
      const parts: Uint8Array[] = [];
      for await (const part of file.parts) parts.push(part);
      return Buffer.concat(parts);
    };
    for (const format of EXPORT_FORMATS)
      expect((await fileOf(test.there, format)).equals(await fileOf(here, format)), format).toBe(true);
    await close();
  });

  it('see what was stored before they were asked', async () => {
    const { store, url, close } = await open();
    await using test = await stage(store, url);
    const rule = { name: 'Storms', intent: '', platforms: ['x'], overrides: { x: 'storm' } };
    const { rule_id } = await test.here.call(test.alice, 'createRule', rule);
    for (let count = 1; count <= 20; count++) {
      await test.here.post(test.alice, `storm ${count}`);
      expect((await test.answers('matchFacets', { rule_id })).threaded).toMatchObject({ counted: count });
    }
    await close();
  });
}

describe('compute threads on SQLite', () => {
  suite(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-compute-'));
    const file = join(folder, 'sluice.db');
    const store = await openSqlite(file);
    return { store, url: `sqlite:${file}`, close: async () => rmSync(folder, { recursive: true }) };
  });
});

describe('compute threads on PostgreSQL', () => {
  let server: TestPostgres;
  beforeAll(async () => {
    server = await startPostgresWithTables();
  });
  afterAll(() => server[Symbol.asyncDispose]());
  suite(async () => {
    const url = await server.newDatabase();
    return { store: await openPostgres(url), url, close: async () => {} };
  });
});

it('every operation that runs in a compute thread is known there, and has cases here', () => {
  const computed = Object.values(operations).filter((operation) => 'runs' in operation && operation.runs === 'compute');
  expect(computed.map(({ name }) => name).toSorted()).toEqual(computedOperations.map(({ name }) => name).toSorted());
  expect(Object.keys(CASES).toSorted()).toEqual(computedOperations.map(({ name }) => name).toSorted());
});

it('a compute thread that could not open the database opens it for the next request', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-compute-'));
  const [file, away] = [join(folder, 'sluice.db'), join(folder, 'away.db')];
  await using store = await openSqlite(file);
  await using test = await stage(store, `sqlite:${away}`);
  const asked = { platform, value: 'storm', event: { data: { id: '1', text: 'a storm' } } };
  const ask = () => perform(test.there, operations.validateRule, test.alice, asked, REQUEST);
  await expect(ask()).rejects.toThrow(/open/);
  await using back = await openSqlite(away);
  expect(back.isShared).toBe(false);
  expect(await ask()).toMatchObject({ valid: true, matched: true });
  rmSync(folder, { recursive: true });
});

it('what is wrong with the texts of a rule is found in a compute thread, and nothing is looked for in right ones', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-compute-'));
  const file = join(folder, 'sluice.db');
  await using store = await openSqlite(file);
  await using test = await stage(store, `sqlite:${file}`);
  const { rule_id } = await test.here.call(test.alice, 'createRule', {
    name: 'Storms',
    intent: '',
    platforms: ['x'],
    overrides: { x: 'storm' },
  });
  const wrong = { x: 'storm AND from:@nasa', firehose: 'titel:storm AND' };
  const asked = {
    createRule: { name: '', intent: '', platforms: ['x', 'firehose'], overrides: wrong },
    updateRule: { rule_id, overrides: wrong },
    rehearseRule: { platforms: ['x', 'firehose'], overrides: wrong },
  } as const;
  for (const [name, input] of Object.entries(asked)) {
    const ask = (context: Context) => perform(context, operations[name as OperationName], test.alice, input, REQUEST);
    const before = test.used.computed;
    const [inline, threaded] = await Promise.allSettled([ask(test.here.service.context), ask(test.there)]);
    expect(threaded, name).toEqual(inline);
    expect(threaded, name).toMatchObject({ status: 'rejected', reason: { code: 'invalid_argument' } });
    expect(test.used.computed, name).toBe(before + 1);
  }
  const before = test.used.computed;
  const texts = { rule_id, overrides: { x: 'storm OR storm' } };
  await perform(test.there, operations.updateRule, test.alice, texts, REQUEST);
  expect(test.used.computed).toBe(before);
  rmSync(folder, { recursive: true });
});
