/** The one scan through matches: newest first, page by page, up to a budget. It says how far it came. */
import { z } from 'zod';
import type { StoredMatch } from '../../domain/match.ts';
import { timeOf } from '../../store/order.ts';
import type { MatchPage, MatchQuery, Position, WalkBudget } from '../../store/store.ts';
import { weightOf } from '../../wakes/candidates.ts';
import type { Caller } from '../access/caller.ts';
import type { ReadContext } from '../context.ts';
import { SCAN_BUDGET } from '../limits.ts';
import { time } from '../shapes.ts';
import { type MatchSelection, queryOfFilter, readerOf } from './match-filter.ts';

/** Matches of a page, and bytes of its payloads: they are in memory together. */
const PAGE = { limit: 1_000, bytes: 4 * 1024 * 1024 };

export interface MatchScan {
  readonly read: (query: MatchQuery) => Promise<MatchPage>;
  readonly query: Omit<MatchQuery, 'limit'>;
  /** Only matches of this relevance or more. */
  readonly least: number | undefined;
  readonly budget: WalkBudget;
}

/** The position where older matches begin, if any are left, and how much was gone through. */
export type Scanned = Omit<MatchPage, 'matches'>;

/** `visit` answers whether it has enough. */
export async function scan(
  { reader, checkpoint }: Pick<ReadContext, 'reader' | 'checkpoint'>,
  { read, query, least, budget }: MatchScan,
  visit: (match: StoredMatch) => boolean | Promise<boolean>,
): Promise<Scanned> {
  const walked = { rows: 0, bytes: 0 };
  let { before } = query;
  let latest: Position | undefined;
  for (;;) {
    const walk = { rows: budget.rows - walked.rows, bytes: budget.bytes - walked.bytes };
    const page = await read({ ...query, ...PAGE, walk, ...(before !== undefined && { before }) });
    latest ??= page.latest;
    walked.rows += page.walked.rows;
    walked.bytes += page.walked.bytes;
    for (const [index, match] of page.matches.entries()) {
      checkpoint();
      if (least !== undefined && !(((await weigh(reader, match)) ?? -1) >= least)) continue;
      const isEnough = visit(match);
      if (!(typeof isEnough === 'boolean' ? isEnough : await isEnough)) continue;
      const isLast = index === page.matches.length - 1;
      return { next: isLast ? page.next : match.position, latest, walked };
    }
    before = page.next;
    if (before === undefined || walked.rows >= budget.rows || walked.bytes >= budget.bytes)
      return { next: before, latest, walked };
  }
}

const weigh = async (reader: ReadContext['reader'], match: StoredMatch): Promise<number | null> =>
  weightOf({ judgement: match.judgement, relevance: match.judgement ? null : await reader.score(match) });

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

/** A filter on all rules that the caller sees, or on some of them. */
export interface ScanFilter extends MatchSelection {
  readonly rule_ids?: readonly string[] | undefined;
}

/** Counts the newest matches of a filter. */
export async function countScanned(
  context: ReadContext,
  caller: Caller,
  { rule_ids, ...filter }: ScanFilter,
  count: (match: StoredMatch) => void | Promise<void>,
): Promise<CountedPart> {
  let counted = 0;
  const query = await queryOfFilter(context, caller, filter);
  const read = readerOf(context, caller, filter, rule_ids);
  const { next } = await scan(context, { read, query, least: filter.min_relevance, budget: SCAN_BUDGET }, (match) => {
    counted++;
    const counting = count(match);
    return counting === undefined ? false : counting.then(() => false);
  });
  return {
    counted,
    complete: next === undefined,
    counted_from: next === undefined ? null : new Date(timeOf(next)).toISOString(),
  };
}
