/** Push Events: takes posts and pages from callers. */
import { z } from 'zod';
import { ServiceError } from '../errors.ts';
import { platform } from '../shapes.ts';
import { operation } from './room.ts';

export const pushEvents = operation({
  name: 'pushEvents',
  summary: 'Push events',
  description:
    'One event per line, as the platform delivers it: for `x` an object `{ "data": {…}, "includes"?: {…} }`, for `firehose` a document with an `id` or a `url`. Sluice answers when all accepted events are stored. A bad line is refused and listed; the others are accepted. Events pushed with a full key reach the rules of its own account; events pushed with an ingest key reach every account.',
  access: 'ingest',
  input: z.strictObject({ platform, lines: z.string().describe('NDJSON.') }),
  output: z.object({
    accepted: z.int(),
    matches: z.int().describe('The number of new matches. A repeated event adds none.'),
    rejected: z.array(z.object({ line: z.int().describe('Counted from 1.'), message: z.string() })),
    more_rejected: z.int().optional().describe('How many refused lines are not listed.'),
  }),
  example: {
    input: { platform: 'x', lines: '{"data":{"id":"1989234567890123456","text":"The volcano is erupting again."}}\n' },
    output: { accepted: 1, matches: 1, rejected: [] },
  },
  ndjson: 'lines',
  async run(room, caller, input, { trace, lines = input.lines }) {
    const { ingest, platforms, feeds, pushedBytes, clock, quotas, accountUses, cpuUse } = room;
    const { account, key } = caller;
    if (platforms[input.platform].shape === 'upstream') {
      throw new ServiceError(
        'failed_precondition',
        `Events of \`${input.platform}\` come from the real platform on this server, so they cannot be pushed.`,
      );
    }
    const scope = key.scope === 'ingest' ? undefined : account.id;
    if (scope !== undefined) quotas.refuseResting(scope);
    const bytes = Buffer.byteLength(lines);
    pushedBytes.count(account, bytes);
    const began = clock.now();
    const pushed = await ingest.push(input.platform, lines, scope, undefined, trace);
    const { accepted, matches, rejected, moreRejected, cpuMs = 0 } = pushed;
    accountUses.add(account.id, { bytes_in: bytes, events: accepted });
    cpuUse.note(caller, cpuMs, 'push');
    if (accepted > 0) await feeds.pushed(input.platform, scope, began);
    return {
      accepted,
      matches,
      rejected: rejected.map(({ line, problem }) => ({ line, message: `The line is refused: ${problem}.` })),
      ...(moreRejected > 0 ? { more_rejected: moreRejected } : {}),
    };
  },
});
