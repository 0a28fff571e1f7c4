/** Erase, then push, replay and restore: nothing comes back. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { run } from './cli.ts';
import { KEY, startServer } from './server.ts';

const RULE = { name: 'Storms', intent: '', platforms: ['x'], overrides: { x: 'storm' } };
const POSTS = ['1', '2', '3'].map((id) => ({ data: { id, text: `storm ${id}` } }));

describe('what was erased', () => {
  it('is not brought back by a push, by a replay, or by a backup that is older than the erasure', async () => {
    await using server = await startServer();
    const env = { SLUICE_URL: server.url, SLUICE_API_KEY: KEY };
    const listed = async (of: typeof server) =>
      ((await of.call('POST', '/matches', {})).body['matches'] as { platform_post_id: string }[]).map(
        (match) => match.platform_post_id,
      );
    await server.call('POST', '/api.CreateRule', RULE);
    await server.push('x', POSTS);
    const [backup, erased, recording] = ['backup.db', 'erased.ndjson', 'posts.ndjson'].map((name) =>
      join(server.dataDir, name),
    ) as [string, string, string];
    writeFileSync(recording, POSTS.map((post) => `${JSON.stringify(post)}\n`).join(''));
    const store = { SLUICE_DATA_DIR: server.dataDir };
    expect(await run(['backup', backup], store)).toMatchObject({ code: 0 });
    const ran = await run(['erase', 'x', '--all-accounts', '--file', '-', '--json'], env, '2\n');
    expect(JSON.parse(ran.stdout)).toEqual({ posts: 1, deleted: 1 });
    await server.push('x', POSTS);
    expect(await run(['replay', recording, '--platform', 'x'], { ...env, ...store })).toMatchObject({ code: 0 });
    expect(await listed(server)).toEqual(['3', '1']);

    const exported = await run(['tombstones', 'export', erased, '--json'], store);
    expect(JSON.parse(exported.stdout)).toMatchObject({ tombstones: 1 });
    const restored = { SLUICE_STORE_URL: `sqlite:${backup}`, SLUICE_DATA_DIR: server.dataDir };
    const imported = await run(['tombstones', 'import', erased, '--json'], restored);
    expect(JSON.parse(imported.stdout)).toEqual({ tombstones: 1, erased: 1 });
    await using again = await startServer(restored);
    expect(await listed(again)).toEqual(['3', '1']);
    await again.push('x', POSTS);
    expect(await listed(again)).toEqual(['3', '1']);
  });
});
