/** Rate Match: whether a match is what its rule is for. */
import { z } from 'zod';
import type { StoredMatch } from '../../domain/match.ts';
import { tracesOf, writeTraces } from '../../signal/features.ts';
import { shownText } from '../../signal/shown-text.ts';
import { type Caller, seesRule } from '../access/caller.ts';
import type { ReadContext } from '../context.ts';
import { ServiceError } from '../errors.ts';
import { MAX_RATINGS } from '../limits.ts';
import { rating } from '../shapes.ts';
import { exampleMatch } from './matches.ts';
import { operation } from './room.ts';

export const rateMatch = operation({
  name: 'rateMatch',
  summary: 'Rate a match',
  description:
    "Says that a match is what its rule is for (`relevant`) or is not (`irrelevant`); null takes that back. Ratings belong to the rule and stay when its text changes. They make `relevance` better and are what Suggest Changes goes by. The same request twice is the same as once. A rule's newest 2,000 ratings count.",
  access: 'full',
  grants: 'rules',
  input: z.strictObject({ match_id: z.string(), rating: rating.nullable() }),
  output: z.object({}),
  example: { input: { match_id: exampleMatch.id, rating: 'relevant' }, output: {} },
  async run(context, caller, { match_id, rating: given }) {
    const match = await matchSeenBy(context, caller, match_id);
    const isRated = await context.store.rateMatch(
      {
        accountId: caller.account.id,
        position: match.position,
        rating: given,
        at: context.clock.now(),
        by: caller.key.id,
        traces: writeTraces(tracesOf(shownText(match.platform, match.payload))),
      },
      MAX_RATINGS,
    );
    if (!isRated) throw unknownMatch();
    return {};
  },
});

/** A match of the caller. The answer for another account's, or one outside an agent's grant, is the same as for an unknown one. */
export async function matchSeenBy(
  { store }: Pick<ReadContext, 'store'>,
  caller: Caller,
  id: string,
): Promise<StoredMatch> {
  const match = await store.match(caller.account.id, id);
  if (match === undefined || !seesRule(caller, match.ruleId)) throw unknownMatch();
  return match;
}

export const unknownMatch = (): ServiceError => new ServiceError('not_found', 'There is no such match.');
