/** Goes through the newest matches of a filter, up to a budget, and says how far it came. */
import { z } from 'zod';
import { createPauses } from '../../base/cooperate.ts';
import type { Match } from '../../domain/match.ts';
import { timeOf } from '../../store/order.ts';
import type { Position } from '../../store/store.ts';
import type { Caller } from '../access/caller.ts';
import { SCAN_BUDGET } from '../limits.ts';
import { time } from '../shapes.ts';
import { type MatchSelection, queryOfFilter, readerOf } from './match-filter.ts';
import type { MatchesRoom } from './room.ts';

/** Matches of a page, and bytes of its payloads: they are in memory together. */
const PAGE = { limit: 1_000, bytes: 4 * 1024 * 1024 };
/** Matches that are looked at between two pauses. */
const AT_ONCE = 100;

/** How much of what was asked for was counted. */
export const countedPart = {
  counted: z.int().describe('How many matches were counted.'),
  complete: z.boolean().describe('Whether these are all matches that were asked for.'),
  counted_from: time
    .nullable()
    .describe('If not complete: matches stored after this time were counted, and older ones were not. Else null.'),
};

export interface CountedPart {
  readonly counted: number;
  readonly complete: boolean;
  readonly counted_from: string | null;
}

/** Of the rules that the caller sees, or of some of them. */
export interface ScanFilter extends MatchSelection {
  readonly rule_ids?: readonly string[] | undefined;
}

export async function scanMatches(
  context: MatchesRoom,
  caller: Caller,
  { rule_ids, ...filter }: ScanFilter,
  visit: (match: Match) => void,
): Promise<CountedPart> {
  const query = await queryOfFilter(context, caller, filter);
  const read = readerOf(context, caller, filter, rule_ids);
  const pause = createPauses(AT_ONCE);
  const left = { ...SCAN_BUDGET };
  let counted = 0;
  let before: Position | undefined;
  for (;;) {
    const page = await read({ ...query, ...PAGE, walk: { ...left }, ...(before !== undefined && { before }) });
    for (const match of page.matches) {
      if (isRelevant(match, filter)) {
        counted++;
        visit(match);
      }
      await pause(1);
    }
    if (page.next === undefined) return { counted, complete: true, counted_from: null };
    left.rows -= page.walked.rows;
    left.bytes -= page.walked.bytes;
    if (left.rows <= 0 || left.bytes <= 0)
      return { counted, complete: false, counted_from: new Date(timeOf(page.next)).toISOString() };
    before = page.next;
  }
}

const isRelevant = ({ relevance }: Match, { min_relevance: least }: MatchSelection): boolean =>
  least === undefined || (relevance !== undefined && relevance >= least);
