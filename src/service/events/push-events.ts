/** Push Events: takes posts and pages from callers. */
import { z } from 'zod';
import type { TraceContext } from '../../base/tracing.ts';
import type { Platform } from '../../domain/platform.ts';
import type { Caller } from '../access/caller.ts';
import type { Context } from '../context.ts';
import { ServiceError } from '../errors.ts';
import { operationIn } from '../perform/operation.ts';
import { platform } from '../shapes.ts';

type EventsRoom = Pick<
  Context,
  'clock' | 'ingest' | 'platforms' | 'pushedBytes' | 'feeds' | 'quotas' | 'accountUses' | 'cpuUse'
>;

export const operation = operationIn<EventsRoom>();

export const pushEvents = operation({
  name: 'pushEvents',
  summary: 'Push events',
  description:
    'One event per line, as the platform delivers it: for `x` an object `{ "data": {…}, "includes"?: {…} }`, for `firehose` a document with an `id` or a `url`. Sluice answers when all accepted events are stored. A bad line is refused and listed; the others are accepted. Events pushed with a full key reach the rules of its own account; events pushed with an ingest key reach every account.',
  access: 'ingest',
  input: z.strictObject({
    platform,
    lines: z.string().describe('NDJSON.'),
    ack: z
      .enum(['stored', 'log'])
      .default('stored')
      .describe(
        'When Sluice answers: when all accepted events are `stored`, or when the `log` has them durably, where the operator keeps one. They are then stored later, in the order of their pushes.',
      ),
  }),
  output: z.object({
    accepted: z.int(),
    matches: z
      .int()
      .optional()
      .describe(
        'The number of new matches. A repeated event adds none. With `ack=log` it is not known yet, and absent.',
      ),
    logged: z
      .literal(true)
      .optional()
      .describe(
        'With `ack=log`: the accepted lines are in the log, and are matched and stored later. Lines that turn out to be no events are told as a gap, `source_unread:push`.',
      ),
    rejected: z.array(z.object({ line: z.int().describe('Counted from 1.'), message: z.string() })),
    more_rejected: z.int().optional().describe('How many refused lines are not listed.'),
  }),
  example: {
    input: { platform: 'x', lines: '{"data":{"id":"1989234567890123456","text":"The volcano is erupting again."}}\n' },
    output: { accepted: 1, matches: 1, rejected: [] },
  },
  ndjson: 'lines',
  async run(room, caller, input, { trace, lines = input.lines }) {
    const { ingest, platforms, pushedBytes, quotas, accountUses } = room;
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
    const pushed =
      input.ack === 'log'
        ? { ...(await ingest.append(input.platform, lines, scope, trace)), logged: true as const }
        : await stored(room, caller, { platform: input.platform, scope, trace }, lines);
    const { accepted, rejected, moreRejected, ...told } = pushed;
    // Lines that are logged for one account are counted by the matcher that stores them, with the CPU.
    const events = input.ack === 'log' && scope !== undefined ? 0 : accepted;
    accountUses.add(account.id, { bytes_in: bytes, events });
    return {
      accepted,
      ...told,
      rejected: rejected.map(({ line, problem }) => ({ line, message: `The line is refused: ${problem}.` })),
      ...(moreRejected > 0 ? { more_rejected: moreRejected } : {}),
    };
  },
});

interface Push {
  readonly platform: Platform;
  /** The account whose rules see the events; undefined for all accounts. */
  readonly scope: string | undefined;
  readonly trace: TraceContext | undefined;
}

async function stored(
  { ingest, feeds, clock, cpuUse }: EventsRoom,
  caller: Caller,
  { platform: to, scope, trace }: Push,
  lines: string | Buffer,
) {
  const began = clock.now();
  const { cpuMs = 0, ...pushed } = await ingest.push(to, lines, scope, undefined, trace);
  cpuUse.note(caller, cpuMs, 'push');
  if (pushed.accepted > 0) await feeds.pushed(to, scope, began);
  return pushed;
}
