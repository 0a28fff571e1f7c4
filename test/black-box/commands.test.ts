/** The command line, beside a running server and alone. */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gzipSync } from 'node:zlib';
import { parquetMetadata } from 'hyparquet';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXPORT_COLUMNS } from '../../src/domain/match.ts';
import { until } from '../stages/receiver.ts';
import { run } from './cli.ts';
import { KEY, type Started, startServer } from './server.ts';

let server: Started;
let settings: Record<string, string>;
let folder: string;
beforeAll(async () => {
  server = await startServer();
  settings = { SLUICE_DATA_DIR: server.dataDir, SLUICE_URL: server.url, SLUICE_API_KEY: KEY };
  folder = mkdtempSync(join(tmpdir(), 'sluice-cli-'));
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const sluice = (...args: string[]) => run(args, settings);
const json = async <Value>(...args: string[]): Promise<Value> =>
  JSON.parse((await sluice(...args, '--json')).stdout) as Value;
const listRules = (key: string) => server.call('GET', '/api.ListRules', undefined, { key });

/** Whether no post has reached the server yet. */
async function isIdle(other: Started): Promise<boolean> {
  const { body } = await other.call('GET', '/api.Status');
  const { instance } = body as { instance: { platforms: { x: { recent_events: { events: number } } } } };
  return instance.platforms.x.recent_events.events === 0;
}

describe('sluice keys', () => {
  it('makes a key that works at once, and ends it at once, while the server runs', async () => {
    const made = await json<{ id: string; key: string; scope: string }>(
      'keys',
      'create',
      '--name',
      'from the shell',
      '--scope',
      'read',
    );
    expect(made).toMatchObject({ scope: 'read', key: expect.stringMatching(/^sk_/) });
    expect((await listRules(made.key)).status).toBe(200);
    const listed = await sluice('keys', 'list');
    expect(listed.stdout).toContain('from the shell');
    expect(listed.stdout).not.toContain(made.key);
    expect((await sluice('keys', 'revoke', made.id)).code).toBe(0);
    expect((await listRules(made.key)).status).toBe(401);
    expect((await sluice('keys', 'revoke', made.id)).code).toBe(1);
  });

  it('takes an expiry as a time or a span', async () => {
    const { expires_at } = await json<{ expires_at: string }>('keys', 'create', '--expires', '30d');
    expect(Date.parse(expires_at) - Date.now()).toBeGreaterThan(29 * 86_400_000);
    expect((await sluice('keys', 'create', '--expires', 'soon')).code).toBe(2);
    expect((await sluice('keys', 'create', '--scope', 'root')).code).toBe(2);
  });
});

describe('sluice accounts', () => {
  it('makes, lists and changes accounts; a free one creates no rules', async () => {
    expect(await json('accounts', 'create', 'team-a', '--plan', 'free')).toMatchObject([
      { name: 'team-a', plan: 'free', x_rules: 25 },
    ]);
    expect((await sluice('accounts', 'create', 'team-a')).code).toBe(1);
    const { key } = await json<{ key: string }>('keys', 'create', '--account', 'team-a');
    const create = () =>
      server.call(
        'POST',
        '/api.CreateRule',
        { name: 'n', intent: '', platforms: ['x'], overrides: { x: 'lava' } },
        { key },
      );
    expect(await create()).toMatchObject({ status: 403, body: { code: 'permission_denied' } });
    expect((await server.call('POST', '/api.ValidateRule', { platform: 'x', value: 'lava' }, { key })).status).toBe(
      200,
    );
    expect(await json('accounts', 'set', 'team-a', '--plan', 'paid', '--x-rules', '1')).toMatchObject([
      { plan: 'paid', x_rules: 1 },
    ]);
    expect((await create()).status).toBe(200);
    expect(await create()).toMatchObject({ status: 429, body: { code: 'resource_exhausted' } });
    expect(await json('accounts', 'set', 'team-a', '--x-budget', '12.5')).toMatchObject([{ x_budget: 12.5 }]);
    expect(await json('accounts', 'set', 'team-a', '--x-budget', 'none')).toMatchObject([{ x_budget: null }]);
    expect((await sluice('accounts', 'set', 'team-a', '--x-budget', 'none')).stdout).toMatch(
      /plan +paid\nx rules +1\n/,
    );
    expect(await json('accounts', 'create', 'team-b', '--x-budget', 'none')).toMatchObject([{ x_budget: null }]);
    expect((await sluice('accounts', 'list')).stdout).toContain('team-a');
    expect((await sluice('accounts', 'set', 'nobody', '--plan', 'paid')).code).toBe(1);
    expect((await sluice('accounts', 'set', 'team-a')).code).toBe(2);
  });
});

describe('sluice replay, rules and matches', () => {
  const posts = (from: number, count: number) =>
    Array.from({ length: count }, (_, n) =>
      JSON.stringify({ data: { id: String(from + n), text: `=replayed "post" ${from + n}` } }),
    ).join('\n');

  it('pushes a recording, plain or packed, and says what came of it', async () => {
    await server.call('POST', '/api.CreateRule', {
      name: '=Replayed',
      intent: '',
      platforms: ['x'],
      overrides: { x: 'replayed' },
    });
    const plain = join(folder, 'posts.ndjson');
    writeFileSync(plain, `${posts(1_000, 2_500)}\nnot json\n`);
    expect(await json('replay', plain, '--platform', 'x')).toEqual({
      events: 2_500,
      matches: 2_500,
      rejected: 1,
      resumed_at: 0,
      done: true,
    });
    const packed = join(folder, 'posts.ndjson.gz');
    writeFileSync(packed, gzipSync(posts(3_000, 1_000)));
    expect(await json('replay', packed, '--platform', 'x')).toMatchObject({ events: 1_000, matches: 500, rejected: 0 });
    const piped = await run(['replay', '-', '-p', 'x', '--json'], settings, posts(9_000, 3));
    expect(JSON.parse(piped.stdout)).toMatchObject({ events: 3, matches: 3 });
  });

  it('goes on where it stopped', async () => {
    const file = join(folder, 'cut.ndjson');
    writeFileSync(file, posts(20_000, 3_000));
    const other = await startServer();
    const elsewhere = { ...settings, SLUICE_URL: other.url };
    // The server goes away as soon as it has taken something: the replay ends with an error, and knows its place.
    const going = run(['replay', file, '-p', 'x', '--rate', '1000', '--json'], elsewhere);
    await until(async () => !(await isIdle(other)));
    await other.end('SIGTERM');
    expect((await going).code).toBe(1);
    const again = await startServer({ SLUICE_PORT: new URL(other.url).port }, other.dataDir);
    const rest = JSON.parse((await run(['replay', file, '-p', 'x', '--json'], elsewhere)).stdout) as {
      events: number;
      resumed_at: number;
    };
    expect(rest.resumed_at).toBeGreaterThan(0);
    expect(rest).toMatchObject({ events: 3_000 - rest.resumed_at, done: true });
    await again[Symbol.asyncDispose]();
  });

  it('lists rules, and prints matches as NDJSON, as CSV and as a Parquet file', async () => {
    expect((await sluice('rules', 'list')).stdout).toContain('replayed');
    const lines = (await sluice('matches', '--platform', 'x')).stdout.trimEnd().split('\n');
    expect(lines.length).toBe(3_003);
    // The matches of one commit are in the order of their ids, which are digests.
    expect(JSON.parse(lines[0]!)).toMatchObject({
      platform: 'x',
      payload: { data: { id: expect.stringMatching(/^900[0-2]$/) } },
    });
    const csv = (await sluice('matches', '--format', 'csv', '--limit', '2')).stdout.trimEnd().split('\n');
    expect(csv).toHaveLength(3);
    expect(csv[0]).toBe(EXPORT_COLUMNS.map(({ name }) => name).join(','));
    expect(csv[1]).toContain(`,'=Replayed,`);
    expect(csv[1]).toMatch(/""text"":""=replayed \\""post\\"" 900[0-2]""/);
    const path = join(folder, 'matches.parquet');
    expect(await sluice('matches', '--format', 'parquet', '--output', path)).toMatchObject({ code: 0, stdout: '' });
    const bytes = readFileSync(path);
    const { num_rows, row_groups } = parquetMetadata(new Uint8Array(bytes).buffer);
    expect([num_rows, row_groups.length, existsSync(`${path}.partial`)]).toEqual([3_003n, 4, false]);
  });

  it('says what is wrong, without a stack', async () => {
    for (const [args, code] of [
      [['replay', join(folder, 'nothing.ndjson'), '-p', 'x'], 2],
      [['replay', 'posts.ndjson'], 2],
      [['frobnicate'], 2],
      [['matches', '--rule', 'rule_nothing'], 1],
    ] as const) {
      const ran = await sluice(...args);
      expect([args, ran.code]).toEqual([args, code]);
      expect(ran.stderr).not.toMatch(/^\s+at /m);
    }
    const wrongKey = await run(['rules', 'list'], { ...settings, SLUICE_API_KEY: 'this-is-a-wrong-key' });
    expect([wrongKey.code, wrongKey.stderr]).toEqual([1, expect.stringContaining('unauthenticated')]);
    const nowhere = await run(['rules', 'list'], { ...settings, SLUICE_URL: 'http://127.0.0.1:9' });
    expect([nowhere.code, nowhere.stderr]).toEqual([1, expect.stringContaining('is the server running')]);
  });
});

describe('sluice backup and doctor', () => {
  it('takes a copy that is whole, while the server runs', async () => {
    const file = join(folder, 'copy.db');
    expect((await sluice('backup', file)).code).toBe(0);
    const copy = new DatabaseSync(file, { readOnly: true });
    expect(copy.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
    copy.close();
    expect((await sluice('backup', file)).code).toBe(2);
    // The key is kept with the copy, as the guide says.
    const key = readFileSync(join(server.dataDir, 'webhooks.key'), 'utf8').trim();
    await using restored = await startServer({ SLUICE_STORE_URL: `sqlite:${file}`, SLUICE_SEALING_KEY: key });
    const { body } = await restored.call('POST', '/matches', { limit: 1 });
    expect(body['matches']).toHaveLength(1);
  });

  it('finds nothing wrong with a sound installation', async () => {
    const findings = await json<{ check: string; state: string }[]>('doctor');
    expect(findings.filter(({ state }) => state !== 'ok')).toEqual([]);
    expect(findings.map(({ check }) => check)).toEqual([
      'configuration',
      'folder',
      'store',
      'disk',
      'server',
      'clock',
      'upstreams',
    ]);
  });

  it('warns of a data folder that other users can read', async () => {
    const open = join(folder, 'open');
    mkdirSync(open);
    chmodSync(open, 0o755);
    const ran = await run(['doctor', '--json'], { ...settings, SLUICE_DATA_DIR: open });
    expect(JSON.parse(ran.stdout)).toContainEqual(
      expect.objectContaining({ check: 'folder', state: 'warning', advice: expect.stringContaining('chmod 700') }),
    );
  });

  it('says what to do about a broken one', async () => {
    const broken = join(folder, 'broken.db');
    writeFileSync(broken, 'this is not a database, whatever its name says. '.repeat(100));
    const ran = await run(['doctor', '--json'], { ...settings, SLUICE_STORE_URL: `sqlite:${broken}` });
    expect(ran.code).toBe(1);
    expect(JSON.parse(ran.stdout)).toContainEqual(
      expect.objectContaining({ check: 'store', state: 'failed', advice: expect.any(String) }),
    );
    expect(readFileSync(broken, 'utf8')).toContain('not a database');
    const misspelt = await run(['doctor'], { ...settings, SLUICE_PROT: '1' });
    expect([misspelt.code, misspelt.stdout]).toEqual([1, expect.stringContaining('SLUICE_PORT')]);
  });
});
