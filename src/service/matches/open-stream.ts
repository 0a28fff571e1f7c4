/** The stream of matches: turns a request into a live subscriber. The interface decides how to write the matches. */
import { z } from 'zod';
import type { Subscription } from '../../delivery/live/live.ts';
import type { Caller } from '../access/caller.ts';
import { asServiceError, ServiceError } from '../errors.ts';
import { limitOf, limitReached } from '../limits.ts';
import { wakeOfQuery, wakeQuery } from '../outlets/wake-shapes.ts';
import { allow, checkInput } from '../perform/perform.ts';
import { ruleOf } from '../rules/read-rules.ts';
import { characters, platform, ruleId } from '../shapes.ts';
import type { MatchesRoom } from './room.ts';

export const streamInput = z.strictObject({
  rule_id: ruleId.optional(),
  platform: platform.optional(),
  source: characters(1, 200).optional().describe('Only events that this source brought, as in `source` of a match.'),
  cursor: z
    .string()
    .optional()
    .describe(
      'Where to start: the id of an event, or `latest_cursor` of a list. The header Last-Event-ID takes precedence.',
    ),
  ...wakeQuery,
});

export type StreamStart = Pick<
  Subscription,
  'accountId' | 'keyId' | 'session' | 'after' | 'ruleId' | 'platform' | 'source' | 'wake'
>;

/** Everything but the limit is checked here, before the first byte. */
export async function startStream(
  context: MatchesRoom,
  caller: Caller,
  query: unknown,
  lastEventId: string | undefined,
): Promise<StreamStart> {
  const { account, key } = caller;
  const input = checkInput(streamInput, query);
  // Streams are for keys: the subscribers of one account share frames of all its rules.
  allow({ access: 'read' }, caller);
  if (input.rule_id !== undefined) await ruleOf(context, caller, input.rule_id).catch(rethrow);
  const cursor = lastEventId || input.cursor;
  const wake = wakeOfQuery(input);
  return {
    accountId: account.id,
    keyId: key.id,
    ...(caller.session !== undefined && { session: caller.session }),
    after: await beginAt(context, account.id, cursor),
    ...(input.rule_id !== undefined && { ruleId: input.rule_id }),
    ...(input.platform !== undefined && { platform: input.platform }),
    ...(input.source !== undefined && { source: input.source }),
    ...(wake !== undefined && { wake }),
  };
}

const beginAt = (context: MatchesRoom, accountId: string, cursor: string | undefined): Promise<number> =>
  (cursor === undefined ? context.store.latest() : resumeAt(context, accountId, cursor)).catch(rethrow);

/** A client that is told to try again opens the stream later; one that is told of a defect may give up. */
function rethrow(error: unknown): never {
  throw asServiceError(error);
}

/** To be called in the same step as `live.subscribe`: after a wait, other requests may have opened streams. */
export function checkStreamLimit(
  { live, deliveryLimits, settings }: MatchesRoom,
  { account }: Pick<Caller, 'account'>,
): void {
  const streams = limitOf(deliveryLimits, account, 'streams');
  const used = live.count(account.id);
  if (streams === undefined || used < streams) return;
  throw limitReached('streams', `The account has ${streams} open streams, which is the limit. Close one.`, {
    support: settings.support,
    details: { limit: streams, used },
    retryAfter: 5,
  });
}

/** Refuses a cursor older than the oldest kept match: continuing from that match would hide a gap. */
async function resumeAt({ store, cursors }: MatchesRoom, accountId: string, cursor: string): Promise<number> {
  const position = cursors.read(accountId, 'newer', 'cursor', cursor);
  const oldest = await store.oldest();
  if (position + 1 >= oldest) return position;
  throw new ServiceError(
    'failed_precondition',
    'The cursor is older than what is kept: matches after it are gone. Go on from `oldest_cursor` to hear all that is left.',
    { details: { reason: 'cursor_expired', oldest_cursor: cursors.writePlace(accountId, 'newer', oldest - 1) } },
  );
}
