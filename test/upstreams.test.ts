/** The whole program against the sandbox: rules over HTTP, the real connectors, the real loop, a restart. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../sandbox/sandbox.ts';
import { loadConfig } from '../src/app/config.ts';
import { examine } from '../src/app/doctor.ts';
import { type Running, start } from '../src/app/start.ts';
import { until } from './stages/receiver.ts';

const KEY = 'a-known-key-of-the-operator';
const quiet = { info() {}, warn() {}, error() {} };

let folder = '';
let sandbox: Sandbox;
let running: Running | undefined;

async function open(options: Parameters<typeof startSandbox>[0] = {}): Promise<void> {
  folder = mkdtempSync(join(tmpdir(), 'sluice-upstreams-'));
  sandbox = await startSandbox({ xToken: 'x-token', firehoseToken: 'fh-token', ...options });
  running = await start(loadConfig(env()), { log: quiet });
  await running.loaded;
}

const env = (more: Record<string, string> = {}) => ({
  SLUICE_PORT: '0',
  SLUICE_DATA_DIR: folder,
  SLUICE_API_KEY: KEY,
  SLUICE_RATE_LIMIT: 'off',
  SLUICE_X_BEARER_TOKEN: 'x-token',
  SLUICE_X_BASE_URL: sandbox.url,
  SLUICE_FIREHOSE_TOKEN: 'fh-token',
  SLUICE_FIREHOSE_BASE_URL: sandbox.url,
  ...more,
});

async function restart(between: () => void = () => {}): Promise<void> {
  await running!.stop();
  between();
  running = await start(loadConfig(env()), { log: quiet });
  await running.loaded;
}

afterEach(async () => {
  await running?.stop();
  running = undefined;
  await sandbox.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function call<T>(path: string, body?: unknown): Promise<T> {
  const answer = await fetch(`${running!.url}${path}`, {
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  });
  const answered = (await answer.json()) as T;
  if (!answer.ok) throw new Error(JSON.stringify(answered));
  return answered;
}

interface Listed {
  readonly matches: readonly { platform: string; platform_post_id: string; payload: object; highlights: object[] }[];
  readonly coverage: { complete_through: string | null; gaps: { platform: string; cause: string }[] };
}

interface Status {
  readonly platforms: Record<
    'x' | 'firehose',
    { shape: string; state: string; reason?: string; registered: number; gaps: { recovered: boolean }[] }
  >;
}

const listed = (): Promise<Listed> => call('/matches', { limit: 1_000 });
const status = async (): Promise<Status['platforms']> => (await call<Status>('/api.Status')).platforms;
const isLive = async (): Promise<boolean> => Object.values(await status()).every(({ state }) => state === 'live');
const idsOf = async (platform: string): Promise<string[]> =>
  (await listed()).matches
    .filter((match) => match.platform === platform)
    .map(({ platform_post_id }) => platform_post_id)
    .toSorted();

const createRule = (value: string): Promise<{ rule_id: string }> =>
  call('/api.CreateRule', {
    name: value,
    intent: '',
    platforms: ['x', 'firehose'],
    overrides: { x: value, firehose: `title:${value}` },
    options: { firehose: { quality: false } },
  });

const post = (id: string, text: string) => sandbox.post('x', { data: { id, text } });
const page = (title: string) =>
  expect(sandbox.post('firehose', { url: 'https://news.example/a', title }).ruleIds).toHaveLength(1);

describe('both upstreams', () => {
  it('hold rules, bring what they match once, and say how complete that is', async () => {
    await open();
    await createRule('storm');
    expect([sandbox.rules('x').length, sandbox.rules('firehose').length]).toEqual([1, 1]);
    await until(isLive);
    post('1001', 'a storm is near');
    post('1002', 'all calm');
    post('1001', 'a storm is near');
    page('storm warning');
    await until(async () => (await listed()).matches.length === 2);
    const { matches, coverage } = await listed();
    expect(matches.find(({ platform }) => platform === 'x')).toMatchObject({
      platform_post_id: '1001',
      payload: { data: { id: '1001', text: 'a storm is near' } },
      highlights: [{ field: 'data.text', start: 2, end: 7 }],
    });
    expect(coverage.gaps).toEqual([]);
    expect(coverage.complete_through).not.toBeNull();
    expect((await status()).x).toMatchObject({ shape: 'upstream', state: 'live', registered: 1, gaps: [] });
    const metrics = await fetch(`${running!.url}/metrics`, { headers: { authorization: `Bearer ${KEY}` } });
    expect(await metrics.text()).toMatch(/sluice_stream_total\{platform="x",kind="connect"\} 1/);
  });

  it('lose nothing that an upstream replays over a restart, and put on record what it does not', async () => {
    await open();
    await createRule('storm');
    await until(isLive);
    post('1001', 'storm one');
    page('storm one');
    await until(async () => (await listed()).matches.length === 2);
    await restart(() => {
      post('1002', 'storm while nobody listened');
      page('storm while nobody listened');
    });
    await until(isLive);
    post('1003', 'storm three');
    page('storm three, after the restart');
    await until(async () => (await idsOf('firehose')).length === 3 && (await idsOf('x')).length === 2);
    expect(await idsOf('x')).toEqual(['1001', '1003']);
    const { gaps } = (await listed()).coverage;
    expect(gaps.filter(({ platform }) => platform === 'x')).toMatchObject([{ recovered: false }]);
    expect(gaps.filter(({ platform }) => platform === 'firehose')).not.toContainEqual(
      expect.objectContaining({ recovered: false, to: expect.any(String) }),
    );
    expect([sandbox.rules('x').length, sandbox.rules('firehose').length]).toEqual([1, 1]);
  });

  it('take a rule away from both when it is deleted', async () => {
    await open();
    const { rule_id } = await createRule('storm');
    await call('/api.DeleteRule', { rule_id });
    await until(() => sandbox.rules('x').length === 0 && sandbox.rules('firehose').length === 0);
  });

  it('keep a rule on neither when one refuses it', async () => {
    await open();
    await createRule('storm');
    sandbox.throwFault('F16');
    await expect(createRule('sea')).rejects.toThrow('invalid_argument');
    expect((await call<{ rules: object[] }>('/api.ListRules')).rules).toHaveLength(1);
    await until(() => sandbox.rules('x').length === 1);
    expect(sandbox.fired('F16')).toBeGreaterThan(0);
  });
});

describe('the doctor', () => {
  it('asks each upstream, and says what is wrong with one', async () => {
    await open();
    const found = async (more: Record<string, string>) =>
      (await examine(env(more))).filter(({ check }) => check.startsWith('upstream '));
    expect(await found({})).toMatchObject([
      { check: 'upstream x', state: 'ok' },
      { check: 'upstream firehose', state: 'ok' },
    ]);
    const file = join(folder, 'token');
    writeFileSync(file, 'wrong\n');
    const findings = await found({ SLUICE_X_BEARER_TOKEN: '', SLUICE_X_BEARER_TOKEN_FILE: file });
    expect(findings[0]).toMatchObject({ check: 'upstream x', state: 'failed' });
    expect(JSON.stringify(findings)).not.toContain('wrong');
  });
});
