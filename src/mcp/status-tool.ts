/** The tool for how things are. */
import { z } from 'zod';
import { PLATFORMS } from '../domain/platform.ts';
import { cursorAt } from '../service/matches/beginning.ts';
import { platformStatus, sourceStatus, status } from '../service/status/status.ts';
import { toldCoverage } from './told-coverage.ts';
import { operation } from './tool.ts';

const shownStatus = platformStatus
  .pick({ shape: true, state: true, reason: true, rules: true, rule_limit: true, slow_rules: true, gaps: true })
  .extend({ coverage: toldCoverage });

const shownSource = sourceStatus.pick({ name: true, kind: true, state: true });

export const statusTool = operation({
  ...status,
  name: 'status',
  summary: 'Status',
  description:
    'How each platform does, what its coverage lacks and why, how many rules the account has and may have, and which are slow. Call it when nothing matches, or before you report that nothing happened.',
  // The cost of an upstream and the use of its slots are for the operator's own tools.
  output: status.output.omit({ instance: true, limits: true }).extend({
    platforms: z.partialRecord(z.enum(PLATFORMS), shownStatus),
    sources: z.array(shownSource).optional(),
    cursor: z.string(),
  }),
  example: { input: {}, output: { ...status.example.output, cursor: 'Zr7uXc2dLe9sHn4T' } },
  async run(context, caller, input, request) {
    const cursor = cursorAt(context, caller, await context.store.latest());
    const {
      instance: _,
      limits: __,
      platforms,
      sources,
      ...account
    } = await status.run(context, caller, input, request);
    return {
      ...account,
      cursor,
      ...(sources && { sources: sources.map((source) => shownSource.parse(source)) }),
      platforms: Object.fromEntries(PLATFORMS.map((name) => [name, shownStatus.parse(platforms[name])])),
    };
  },
});
