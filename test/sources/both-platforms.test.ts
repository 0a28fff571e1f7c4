/** One variable set: the first rule of the README matches real posts on both platforms, and a deletion erases both. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createClient } from '../../packages/client/src/index.ts';
import { loadConfig } from '../../src/app/config.ts';
import { createLog } from '../../src/app/log.ts';
import { start } from '../../src/app/start.ts';
import { openJetHost, posted } from './jetstream-server.ts';
import { type Answerer, openServer } from './server.ts';
import { PATIENCE } from './stage.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-posts-'));
afterAll(() => rmSync(folder, { recursive: true }));

const KEY = 'key-of-the-tests-of-posts';
const log = createLog({ level: 'silent', terminal: false });

it('posts of Bluesky match on both platforms, and are erased on both', async () => {
  await using host = await openJetHost({ happenings: [] });
  const env = { SLUICE_DATA_DIR: folder, SLUICE_PORT: '0', SLUICE_API_KEY: KEY };
  const running = await start(loadConfig({ ...env, SLUICE_SOURCES: `jetstream:${host.url}` }), { log });
  await running.loaded;
  const client = createClient({ url: running.url, key: KEY });
  const { rule_id } = await client.rules.create({
    name: 'Outages',
    intent: 'Tell me when a service is down.',
    platforms: ['x', 'firehose'],
    overrides: { x: 'outage OR "is down"', firehose: 'outage OR title:down' },
  });
  await expect.poll(() => host.connections, PATIENCE).toBe(1);
  host.add(posted(1, {}, { text: 'Another outage at Northline' }), posted(2, {}, { text: 'All is well' }));
  const found = async () => {
    const { matches } = await client.matches.list({ rule_id });
    return matches.map(({ platform, platform_post_id }) => `${platform} ${platform_post_id}`).toSorted();
  };
  const id = 'jetstream:did:plc:author1/3l1/bafy1';
  await expect.poll(found, PATIENCE).toEqual([`firehose ${id}`, `x ${id}`]);
  const { platforms, sources } = await client.status();
  expect([platforms.x?.sources, platforms.firehose?.sources]).toEqual([['jetstream'], ['jetstream']]);
  expect(sources).toMatchObject([{ name: 'jetstream', platforms: ['x', 'firehose'], state: 'live' }]);
  host.add(posted(4, { operation: 'delete', rkey: '3l1', record: undefined, cid: undefined }));
  await expect.poll(found, PATIENCE).toEqual([]);
  await running.stop();
});

it('what the README names as something real to watch matches on both platforms, beside Lemmy on both', async () => {
  await using host = await openJetHost({ happenings: [] });
  const item = { id: 7, type: 'story', title: 'Another outage', text: 'Northline is down', time: 1_760_000_000 };
  let isOpen = false;
  const closed: Answerer = (_, response) => void response.writeHead(503, { 'retry-after': '1' }).end();
  await using news = await openServer((request, response) => {
    const { url } = request;
    if (!isOpen) return closed(request, response);
    const body = url!.includes('maxitem') ? 7 : url!.includes('item/7') ? item : url!.includes('updates') ? {} : null;
    response.writeHead(200).end(JSON.stringify(body));
  });
  const post = {
    id: 1,
    name: 'Northline has an outage',
    ap_id: 'https://lemmy.example/post/1',
    published: '2026-11-15T08:30:00Z',
  };
  await using forum = await openServer((request, response) => {
    if (!isOpen) return closed(request, response);
    response.writeHead(200).end(JSON.stringify({ posts: [{ post }], comments: [] }));
  });
  const data = mkdtempSync(join(folder, 'real-'));
  const sources = `hackernews:${news.url},jetstream:${host.url},lemmy:${forum.url}`;
  const env = { SLUICE_DATA_DIR: data, SLUICE_PORT: '0', SLUICE_API_KEY: KEY, SLUICE_SOURCES: sources };
  const running = await start(loadConfig(env), { log });
  await running.loaded;
  const client = createClient({ url: running.url, key: KEY });
  const { rule_id } = await client.rules.create({
    name: 'Outages',
    intent: 'Tell me when a service is down.',
    platforms: ['x', 'firehose'],
    overrides: { x: 'outage', firehose: 'outage OR title:outage' },
  });
  // Everything is published after the rule was made.
  isOpen = true;
  await expect.poll(() => host.connections, PATIENCE).toBe(1);
  host.add(posted(1, {}, { text: 'Another outage at Northline' }));
  const found = async () => {
    const { matches } = await client.matches.list({ rule_id });
    const names = matches.map(({ platform, payload }) => `${platform} ${(payload['source'] as { name: string }).name}`);
    return [...new Set(names)].toSorted();
  };
  const all = ['firehose hackernews', 'firehose jetstream', 'firehose lemmy', 'x jetstream', 'x lemmy'];
  await expect.poll(found, PATIENCE).toEqual(all);
  const { platforms } = await client.status();
  expect(platforms.x?.sources?.toSorted()).toEqual(['jetstream', 'lemmy']);
  expect(platforms.firehose?.sources?.toSorted()).toEqual(['hackernews', 'jetstream', 'lemmy']);
  await running.stop();
});

it('a source does not feed a platform that is a real upstream', () => {
  const env = { SLUICE_DATA_DIR: folder, SLUICE_X_BEARER_TOKEN: 'token' };
  const platformsOf = (sources: string) => loadConfig({ ...env, SLUICE_SOURCES: sources }).sources[0]?.platforms;
  expect(platformsOf('jetstream')).toEqual(['firehose']);
  expect(() => platformsOf('jetstream@x')).toThrow(
    'The source jetstream feeds x alone, which is a real upstream here.',
  );
  expect(() => platformsOf('hackernews@x')).toThrow('platform must be firehose');
});
