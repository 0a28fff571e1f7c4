/** Programs of two versions on one store, under load: the last release, this one and the next. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../black-box/cli.ts';
import { pushTo, type Started, startServer } from '../black-box/server.ts';
import { batchFrom, createRules, eventOf, tally } from '../campaign/load.ts';
import { rollUnderLoad } from '../campaign/rolling.ts';
import { startPostgres, type TestPostgres } from '../stages/postgres.ts';
import { hasRelease, nextProgram, releasedProgram } from './programs.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-mixed-'));
let postgres: TestPostgres;
let next: string;
beforeAll(async () => {
  postgres = await startPostgres();
  next = await nextProgram(join(folder, 'next'));
});
afterAll(async () => {
  await postgres[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

/** Milliseconds between two pushes: requests come all the time, and the CPU is for the programs that start. */
const EVERY = 200;

let batches = 0;
/** Pushes the next hundred events, which must be taken. Answers their numbers. */
async function push({ url }: Started): Promise<number[]> {
  const numbers = batchFrom(100 * batches++);
  const { status, text } = await pushTo(url, 'x', numbers.map(eventOf));
  expect([status, text]).toEqual([200, expect.any(String)]);
  return numbers;
}

/** Nothing is missing, and nothing is there twice. */
async function expectAll(server: Started, ruleIds: readonly string[], acknowledged: readonly number[]): Promise<void> {
  const { matchIds, ...counted } = await tally(server.call, ruleIds, { x: { below: 100 * batches, acknowledged } });
  expect(counted).toEqual({ missing: 0, twice: 0, unexpected: 0, miscounted: 0 });
  expect(matchIds.size).toBeGreaterThan(0);
}

const started = (settings: Record<string, string>, program?: string) =>
  startServer(settings, mkdtempSync(join(folder, 'data-')), [], program);

const onPostgres = async () => ({
  SLUICE_STORE_URL: await postgres.newDatabase(),
  SLUICE_SEALING_KEY: randomBytes(32).toString('base64'),
});

describe('this version and the next', () => {
  it('work beside each other on PostgreSQL under load, there and back again', async () => {
    const programOf = (time: number) => (time === 1 ? next : undefined);
    expect(await rollUnderLoad({ times: 2, every: EVERY, nodes: { all: 2 }, nats: false, programOf })).toBe(true);
  }, 240_000);

  it('work on one file after each other, there and back again', async () => {
    const settings = { SLUICE_STORE_URL: `sqlite:${join(folder, 'one.db')}`, SLUICE_DATA_DIR: join(folder, 'one') };
    const acknowledged: number[] = [];
    let ruleIds: string[] | undefined;
    for (const program of [undefined, next, undefined]) {
      const server = await started(settings, program);
      ruleIds ??= await createRules(server.call, ['x']);
      acknowledged.push(...(await push(server)));
      await expectAll(server, ruleIds, acknowledged);
      expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
    }
  }, 120_000);

  it('do not work beside each other when the next breaks with this one: it refuses, and the other goes on', async () => {
    const breaking = await nextProgram(join(folder, 'breaking'), { isBreak: true });
    const settings = await onPostgres();
    const server = await started(settings);
    const ruleIds = await createRules(server.call, ['x']);
    await expect(started(settings, breaking)).rejects.toThrow('Stop every node of the earlier version first.');
    const acknowledged = await push(server);
    await expectAll(server, ruleIds, acknowledged);
    await server.end('SIGTERM');
    await using later = await started(settings, breaking);
    acknowledged.push(...(await push(later)));
    await expectAll(later, ruleIds, acknowledged);
    const back = await run(['serve'], { ...settings, SLUICE_PORT: '0', SLUICE_DATA_DIR: join(folder, 'back') });
    expect([back.code, back.stderr]).toEqual([2, expect.stringContaining('Use a newer program.')]);
  }, 120_000);
});

describe.runIf(hasRelease())('release: 0.2.0', () => {
  let released: string;
  beforeAll(() => {
    released = releasedProgram(join(folder, 'released'));
  });

  it('goes on under load while this version refuses to work beside it, which takes over when it has gone', async () => {
    const settings = await onPostgres();
    const old = await started(settings, released);
    const ruleIds = await createRules(old.call, ['x']);
    const acknowledged = await push(old);
    let hasRefused = false;
    const refused = run(['serve'], { ...settings, SLUICE_PORT: '0', SLUICE_DATA_DIR: join(folder, 'new') }).finally(
      () => {
        hasRefused = true;
      },
    );
    while (!hasRefused) {
      acknowledged.push(...(await push(old)));
      await setTimeout(EVERY);
    }
    expect(await refused).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        'A node of an earlier version works on it, and this version cannot work beside that.',
      ),
    });
    await expectAll(old, ruleIds, acknowledged);
    await old.end('SIGTERM');
    await using server = await started(settings);
    acknowledged.push(...(await push(server)));
    await expectAll(server, ruleIds, acknowledged);
    await expect(started(settings, released)).rejects.toThrow('The database was written by a newer version');
  }, 180_000);

  it('leaves a file that this version goes on with', async () => {
    const data = join(folder, 'released-data');
    const old = await startServer({}, data, [], released);
    const ruleIds = await createRules(old.call, ['x']);
    const acknowledged = await push(old);
    await old.end('SIGTERM');
    await using server = await startServer({}, data);
    acknowledged.push(...(await push(server)));
    await expectAll(server, ruleIds, acknowledged);
  }, 120_000);
});
