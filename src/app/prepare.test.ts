import { expect, it } from 'vitest';
import { makeCoreTables } from '../engine/core/core-engine.ts';
import { TOOLS } from '../mcp/tools.ts';
import { type Config, loadConfig } from './config.ts';
import { PREPARED_AT_ONCE, preparations } from './start.ts';

async function stepsOf(role: Config['roles'][number]): Promise<number[]> {
  const all: number[] = [];
  for await (const steps of preparations({ ...loadConfig({}), roles: [role] })) all.push(...steps);
  return all;
}

it('makes the tables of the engine where events are matched, so that the first event makes none', async () => {
  await stepsOf('matcher');
  expect([...makeCoreTables()]).toEqual([]);
});

it('lets everything else run after each tool and each rule', async () => {
  const steps = await stepsOf('api');
  expect(steps.length).toBeGreaterThan(TOOLS.length + 8);
  expect(new Set(steps)).toEqual(new Set([PREPARED_AT_ONCE]));
});

it('does nothing where neither requests nor events arrive', async () => {
  expect(await stepsOf('delivery')).toEqual([]);
});
