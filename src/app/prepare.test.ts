import { expect, it } from 'vitest';
import { makeCoreTables } from '../engine/core/core-engine.ts';
import { TOOLS } from '../mcp/tools.ts';
import { type Config, loadConfig } from './config.ts';
import { PREPARED_AT_ONCE, prepare } from './prepare.ts';

const stepsOf = (role: Config['roles'][number]): number[] => [...prepare({ ...loadConfig({}), roles: [role] })];

it('makes the tables of the engine where events are matched, so that the first event makes none', () => {
  stepsOf('matcher');
  expect([...makeCoreTables()]).toEqual([]);
});

it('lets everything else run after each tool and each rule', () => {
  const steps = stepsOf('api');
  expect(steps.length).toBeGreaterThan(TOOLS.length + 8);
  expect(new Set(steps)).toEqual(new Set([PREPARED_AT_ONCE]));
});

it('does nothing where neither requests nor events arrive', () => {
  expect(stepsOf('delivery')).toEqual([]);
});
