/** The kit with real processes: a server whose time it moves, and an agent that it kills. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { run } from '../black-box/cli.ts';

const AGENT = join(import.meta.dirname, 'agent.ts');

interface Report {
  readonly passed: boolean;
  readonly states: readonly { readonly state: string; readonly tokens: number }[];
}

async function tested(...args: string[]): Promise<Report> {
  const { stdout, stderr } = await run(['wakes', 'test', '--json', ...args], {});
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as Report;
}

it('finds that a headless run for each wake is woken once each', async () => {
  const report = await tested('--headless', '--', '/bin/sh', '-c', 'cat > /dev/null');
  expect(report.states.map(({ state }) => state)).toEqual(['active', 'idle', 'restarted', 'away']);
  expect(report, JSON.stringify(report)).toMatchObject({ passed: true });
  for (const { tokens } of report.states) expect(tokens).toBeLessThanOrEqual(600);
}, 180_000);

it('finds that an agent which forgets its turns, and acknowledges late, is woken twice', async () => {
  const report = await tested('--', process.execPath, AGENT, 'resident', 'forgetful');
  expect(report.passed).toBe(false);
  for (const state of report.states)
    expect(state).toMatchObject({ lost: 0, twice: expect.toSatisfy((count) => count > 0) });
}, 180_000);
