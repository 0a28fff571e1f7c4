/** Every operation, stream, wait and tool: what a caller makes twice as large costs at most 2.3 times as much. */
import { describe, expect, it } from 'vitest';
import { TOOLS } from '../../src/mcp/tools.ts';
import { expectGrowth, upTo } from './doubling.ts';
import type { Line } from './grown.ts';
import { OPERATION_CASES } from './operation-cases.ts';
import { READING_CASES, TOOL_CASES } from './reading-cases.ts';
import { openStage } from './stage.ts';

it('has a line for every tool', () => {
  expect(Object.keys(TOOL_CASES)).toEqual(TOOLS.map(({ operation }) => operation.name));
});

const TABLES: Readonly<Record<string, Readonly<Record<string, Line>>>> = {
  operation: OPERATION_CASES,
  reading: READING_CASES,
  tool: TOOL_CASES,
};

describe.each(Object.entries(TABLES))('%s', (_, table) => {
  for (const [name, line] of Object.entries(table)) {
    if (typeof line === 'string') continue;
    for (const [what, { largest, prepare }] of Object.entries(line)) {
      it(`${name}: the work follows ${what}`, async () => {
        await using stage = await openStage();
        await expectGrowth({
          sizes: upTo(largest),
          make: async (size) => prepare(await stage.newAccount(), size),
          work: async (work) => void (await work()),
        });
      });
    }
  }
});
