/** Nodes whose clocks are two minutes off, among one whose clock is right. */
import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Started, startServer } from '../black-box/server.ts';
import { startPostgresWithTables, type TestPostgres } from '../stages/postgres.ts';
import { whenReady } from './cluster.ts';

const SHIFTED = pathToFileURL(resolve(import.meta.dirname, '../stages/shifted-clock.mjs')).href;
const TIMES = 10;

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgresWithTables();
});
afterAll(() => postgres[Symbol.asyncDispose]());

const shifted = (milliseconds: number) => ({
  NODE_OPTIONS: `--import ${SHIFTED}`,
  TEST_CLOCK_AHEAD: String(milliseconds),
});

const ready = ({ url }: Started) => whenReady({ name: url, url, hasEnded: async () => false });

let made = 0;
/** The status of a rule's creation on one node, and the matches of an event that is pushed at once on the other. */
async function matchedAcross(creator: Started, pusher: Started): Promise<unknown> {
  const word = `word${++made}`;
  const rule = { name: word, intent: '', platforms: ['x'], overrides: { x: word } };
  const { status } = await creator.call('POST', '/api.CreateRule', rule);
  const { body } = await pusher.push('x', [{ data: { id: String(10_000 + made), text: `a ${word}` } }]);
  return [status, body['matches']];
}

describe.each([
  ['ahead', 120_000],
  ['behind', -120_000],
])('a node whose clock is two minutes %s', (_, milliseconds) => {
  it('matches what others create, is waited for by them, and says that its clock is off', async () => {
    const settings = {
      SLUICE_STORE_URL: await postgres.newDatabase(),
      SLUICE_SEALING_KEY: randomBytes(32).toString('base64'),
    };
    await using right = await startServer(settings);
    await using off = await startServer({ ...settings, ...shifted(milliseconds) });
    await ready(right);
    await ready(off);
    for (let time = 0; time < TIMES; time++) {
      expect(await matchedAcross(right, off)).toEqual([200, 1]);
      expect(await matchedAcross(off, right)).toEqual([200, 1]);
    }
    expect((await off.call('GET', '/readyz')).body).toEqual({ status: 'ready', warnings: ['clock_off'] });
    expect((await right.call('GET', '/readyz')).body).toEqual({ status: 'ready' });
    const { instance } = (await off.call('GET', '/api.Status')).body as { instance: Record<string, number> };
    expect(instance).toMatchObject({ warnings: ['clock_off'] });
    expect(Math.sign(instance['clock_ahead_seconds']!)).toBe(Math.sign(milliseconds));
    const figures = await off.call('GET', '/metrics');
    expect(Number(/^sluice_clock_ahead_seconds (\S+)$/m.exec(figures.text)?.[1])).toBeCloseTo(milliseconds / 1_000, -1);
  }, 120_000);
});
