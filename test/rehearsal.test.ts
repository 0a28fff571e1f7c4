/** Rehearsals as a whole: against the oracle, and killed in the middle. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROGRAM } from './black-box/program.ts';
import { environment, type Started, startServer } from './black-box/server.ts';
import { rehearseAgainstOracle } from './campaign/rehearse.ts';
import { until } from './stages/receiver.ts';
import { hasSharedData } from './stages/shared-data.ts';

describe.runIf(hasSharedData)('shared: rehearsals of the corpus', () => {
  it('count what the plain scan counts', async () => {
    expect(await rehearseAgainstOracle(2_000)).toEqual([]);
  });
});

const LINES = 40_000;
const START = Date.parse('2026-11-15T08:00:00Z');
/** Every seventh post matches. */
const post = (number: number) => ({
  data: {
    id: String(number),
    text: number % 7 === 0 ? `lava ${number}` : `rain ${number}`,
    created_at: new Date(START + number * 1_000).toISOString(),
  },
});

interface Got {
  readonly status: string;
  readonly events: number;
  readonly ended_at: string | null;
  readonly result: { platforms: { x?: { matched: number; events: number; newest: { platform_post_id: string }[] } } };
}

const look = async (server: Started, id: string): Promise<Got> =>
  (await server.call('GET', `/api.GetRehearsal?rehearsal_id=${id}`)).body as unknown as Got;

async function lookUntil(server: Started, id: string, holds: (got: Got) => boolean): Promise<Got> {
  let got = await look(server, id);
  await until(async () => {
    got = await look(server, id);
    return holds(got) || got.ended_at !== null;
  });
  return got;
}

describe('a rehearsal', () => {
  it('that is killed goes on from its checkpoint, and counts nothing twice', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-history-'));
    writeFileSync(
      join(folder, 'posts.ndjson'),
      Array.from({ length: LINES }, (_, at) => `${JSON.stringify(post(at))}\n`).join(''),
    );
    const settings = { SLUICE_HISTORY: folder };
    const first = await startServer(settings);
    const { body } = await first.call('POST', '/api.RehearseRule', {
      platforms: ['x'],
      overrides: { x: 'lava' },
      history: { kind: 'file', file: 'posts.ndjson' },
    });
    const id = body['id'] as string;
    const seen = await lookUntil(first, id, ({ events }) => events > 0);
    await first.end('SIGKILL');
    await using second = await startServer(settings, first.dataDir);
    expect((await look(second, id)).events).toBeGreaterThanOrEqual(seen.events);
    const done = await lookUntil(second, id, () => false);
    expect(done).toMatchObject({
      status: 'done',
      events: LINES,
      result: { platforms: { x: { events: LINES, matched: Math.ceil(LINES / 7) } } },
    });
    expect(done.result.platforms.x!.newest[0]!.platform_post_id).toBe(String(LINES - 1 - ((LINES - 1) % 7)));
    rmSync(folder, { recursive: true });
  });

  it('of a file needs no server', () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-history-'));
    const file = join(folder, 'posts.ndjson');
    writeFileSync(file, Array.from({ length: 50 }, (_, at) => `${JSON.stringify(post(at))}\n`).join(''));
    const run = (...words: string[]) =>
      spawnSync(process.execPath, [PROGRAM, 'rehearse', ...words], { env: environment({}), encoding: 'utf8' });
    const json = run('--x', 'lava', '--file', file, '--json');
    expect([json.status, json.stderr]).toEqual([0, '']);
    expect(JSON.parse(json.stdout)).toMatchObject({
      events: 50,
      result: { platforms: { x: { matched: 8, events: 50 } } },
    });
    const wrong = run('--x', 'lava (', '--file', file);
    expect([wrong.status, wrong.stdout]).toEqual([2, '']);
    expect(wrong.stderr).toContain('--x:');
    const missing = run('--x', 'lava', '--file', join(folder, 'missing.ndjson'));
    expect(missing.status).toBe(1);
    rmSync(folder, { recursive: true });
  });
});
