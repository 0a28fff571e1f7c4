/** The operations of the node on matches. */
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { type MatchFilter, matchStream } from '../../http/match-stream.ts';
import { askSluice } from '../../http/request.ts';
import type { Action } from './action.ts';

/** The most that one page of List Matches has. */
const PAGE = 1_000;

function filterOf(context: IExecuteFunctions, itemIndex: number): MatchFilter {
  const ruleId = context.getNodeParameter('ruleId', itemIndex, '') as string;
  const platform = context.getNodeParameter('platform', itemIndex, '') as string;
  return { ...(ruleId !== '' && { rule_id: ruleId }), ...(platform !== '' && { platform }) };
}

const matchOf = (context: IExecuteFunctions, itemIndex: number) => ({
  match_id: context.getNodeParameter('matchId', itemIndex) as string,
});

export const matchActions: Readonly<Record<string, Action>> = {
  async getAll(context, itemIndex) {
    const filters = context.getNodeParameter('filters', itemIndex, {});
    const filter = { ...filterOf(context, itemIndex), ...filters };
    const most = context.getNodeParameter('returnAll', itemIndex)
      ? Number.POSITIVE_INFINITY
      : context.getNodeParameter('limit', itemIndex);
    const found: IDataObject[] = [];
    for (let cursor: string | undefined; ; ) {
      const input = { ...filter, limit: Math.min(PAGE, most - found.length), ...(cursor !== undefined && { cursor }) };
      const page = await askSluice<{ matches: IDataObject[]; next_cursor?: string }>(context, 'POST /matches', {
        input,
        itemIndex,
      });
      found.push(...page.matches);
      cursor = page.next_cursor;
      if (cursor === undefined || found.length >= most) return found;
    }
  },

  explain: (context, itemIndex) =>
    askSluice(context, 'POST /api.ExplainMatch', { input: matchOf(context, itemIndex), itemIndex }),

  async rate(context, itemIndex) {
    const chosen = context.getNodeParameter('rating', itemIndex) as string;
    const rated = { ...matchOf(context, itemIndex), rating: chosen === 'none' ? null : chosen };
    await askSluice(context, 'POST /api.RateMatch', { input: rated, itemIndex });
    return rated;
  },

  async wait(context, itemIndex) {
    const seconds = context.getNodeParameter('seconds', itemIndex) as number;
    const cancelled = context.getExecutionCancelSignal();
    const timeOver = AbortSignal.timeout(seconds * 1_000);
    const signal = cancelled === undefined ? timeOver : AbortSignal.any([timeOver, cancelled]);
    for await (const { match } of matchStream(context, filterOf(context, itemIndex), signal))
      if (match !== undefined) return match;
    if (cancelled?.aborted)
      throw new NodeOperationError(context.getNode(), 'The wait was cancelled', { itemIndex, level: 'warning' });
    return { timed_out: true };
  },
};
