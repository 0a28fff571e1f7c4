/** Sources in a running server: rules match what they yield, once; the cursor is stored with it; Status shows them; no demo. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createClient } from '../../packages/client/src/index.ts';
import { loadConfig } from '../../src/app/config.ts';
import { createLog } from '../../src/app/log.ts';
import { start } from '../../src/app/start.ts';
import { planNext } from '../../src/service/visits/plan.ts';
import { openSqlite } from '../../src/store/sqlite.ts';
import { openServer } from './server.ts';
import { PATIENCE } from './stage.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-sources-'));
afterAll(() => rmSync(folder, { recursive: true }));

const KEY = 'key-of-the-tests-of-sources';
const log = createLog({ level: 'silent', terminal: false });

const ITEMS = ['Storm', 'Calm', 'Sturm'].map(
  (title, at) =>
    `<item><guid>https://storms.example/${at}</guid><title>${title}</title><description>The volcano of Hesper erupts</description></item>`,
);

describe('sources of a server', () => {
  it('feed the rules, survive a restart, and are shown', async () => {
    await using site = await openServer((_, response) =>
      response.writeHead(200, { 'content-type': 'text/xml' }).end(`<rss><channel>${ITEMS.join('')}</channel></rss>`),
    );
    const feed = `${site.url}/feed.xml`;
    const config = loadConfig({
      SLUICE_DATA_DIR: folder,
      SLUICE_PORT: '0',
      SLUICE_API_KEY: KEY,
      SLUICE_SOURCES: `feeds:${feed}`,
    });
    const run = async () => {
      const running = await start(config, { log });
      await running.loaded;
      return { running, client: createClient({ url: running.url, key: KEY }) };
    };

    const first = await run();
    const rule = {
      name: 'Volcano',
      intent: '',
      platforms: ['firehose' as const],
      overrides: { firehose: 'added:"volcano of hesper" AND domain:storms.example AND language:en AND NOT title:calm' },
    };
    const { rule_id } = await first.client.rules.create(rule);
    await expect.poll(async () => (await first.client.status()).sources?.[0]?.events_per_minute, PATIENCE).toBe(3);
    expect((await first.client.status()).sources).toMatchObject([
      { name: 'feeds', kind: 'feeds', state: 'live', last_error: null, lag_seconds: null },
    ]);
    await first.running.stop();

    const reopened = await openSqlite(config.storeUrl.slice('sqlite:'.length));
    expect(JSON.parse((await reopened.cursor(`source:feeds ${feed}`))!)).toHaveProperty('entries');
    await reopened[Symbol.asyncDispose]();

    ITEMS.push(ITEMS[0]!.replace('/0<', '/9<'));
    const second = await run();
    const list = async () => (await second.client.matches.list({ rule_id })).matches;
    const urls = async () => (await list()).map(({ payload }) => (payload as { url: string }).url);
    await expect.poll(urls, PATIENCE).toContain('https://storms.example/9');
    expect(new Set(await urls()).size).toBe((await urls()).length);
    expect((await list())[0]?.payload).toMatchObject({ source: { name: 'feeds', original: { feed } } });
    expect((await second.client.status()).sources?.[0]).toMatchObject({ events_per_minute: 1 });
    // The demo feed does not play when there is a source.
    expect((await second.client.status()).instance?.platforms.x?.recent_events.events).toBe(0);
    await second.running.stop();
  });
});

it('the next visit has a date, however long the source or its host wants to wait', () => {
  const now = new Date('2026-11-19T12:00:00Z');
  const fetch = {
    key: 'k',
    host: 'a.example',
    kind: 'feeds',
    options: {},
    secret: undefined,
    everyMs: 1e18,
    slowestMs: 1e18,
    intervalMs: 1e18,
    nextAt: now,
    visitedAt: undefined,
    failures: 0,
    visits: 0,
    status: 'waiting' as const,
    lastGoodAt: undefined,
    lastError: undefined,
    rate: 0,
  };
  const answered = { bytes: 0, fetches: 1, status: 200, movedTo: undefined, retryAfter: undefined };
  const visited = {
    ...answered,
    problem: undefined,
    events: new Map(),
    unread: new Set<string>(),
    useOf: () => ({ bytes: 0, fetches: 1 }),
  };
  const aWeek = new Date('2026-11-26T12:00:00Z');
  expect(planNext(fetch, visited, now, () => 0.5).nextAt).toEqual(aWeek);
  const refused = { ...visited, problem: 'busy', status: 503, retryAfter: 1e12 };
  expect(planNext(fetch, refused, now, () => 0.5).nextAt).toEqual(aWeek);
});
