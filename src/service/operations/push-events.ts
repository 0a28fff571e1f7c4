/** Push Events: the way in for posts and pages from outside. */
import { z } from 'zod';
import { ServiceError } from '../errors.ts';
import { platform } from '../shapes.ts';
import { operation } from './operation.ts';

export const pushEvents = operation({
  name: 'pushEvents',
  summary: 'Push events',
  description:
    'One event a line, as the platform delivers it: for `x` an object `{ "data": {…}, "includes"?: {…} }`, for `firehose` a document with an `id` or a `url`. The answer comes once everything accepted is durable. A bad line is refused alone and named. What a full key pushes reaches the rules of its own account; what an ingest key pushes reaches every account.',
  access: 'ingest',
  input: z.strictObject({ platform, lines: z.string().describe('NDJSON.') }),
  output: z.object({
    accepted: z.int(),
    matches: z.int().describe('New matches; a repeat adds none.'),
    rejected: z.array(z.object({ line: z.int().describe('Counted from 1.'), message: z.string() })),
    more_rejected: z.int().optional().describe('How many more lines were refused than are listed.'),
  }),
  example: {
    input: { platform: 'x', lines: '{"data":{"id":"1989234567890123456","text":"The volcano is erupting again."}}\n' },
    output: { accepted: 1, matches: 1, rejected: [] },
  },
  ndjson: 'lines',
  async run({ ingest, platforms }, { account, key }, input) {
    if (platforms[input.platform].shape === 'upstream') {
      throw new ServiceError(
        'failed_precondition',
        `Events of \`${input.platform}\` come from the platform itself here, and cannot be pushed.`,
      );
    }
    const scope = key.scope === 'ingest' ? undefined : account.id;
    const { accepted, matches, rejected, moreRejected } = await ingest.push(input.platform, input.lines, scope);
    return {
      accepted,
      matches,
      rejected: rejected.map(({ line, problem }) => ({ line, message: `The line is refused: ${problem}.` })),
      ...(moreRejected > 0 ? { more_rejected: moreRejected } : {}),
    };
  },
});
