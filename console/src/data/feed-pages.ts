/** The pages of the feed: what is older than the list, and what is newer. */
import type { Client, Match } from '../../../packages/client/src/index.ts';
import type { FeedFilter } from './feed-filter.ts';

export const PAGE = 50;
/** Older matches are loaded when the reader scrolls to them. */
export const MOST_SHOWN = 500;

/**
 * The page after the oldest match shown. It is requested by time, because the list may have been cut since. Matches of
 * the same millisecond come again and are left out.
 */
export async function olderThan(client: Client, filter: FeedFilter, shown: readonly Match[], signal: AbortSignal) {
  const known = new Set(shown.map(({ id }) => id));
  const last = shown.at(-1);
  const until = last === undefined ? filter.until : new Date(Date.parse(last.created_at) + 1).toISOString();
  let cursor: string | undefined;
  for (;;) {
    const input = { ...filter, limit: PAGE, ...(until !== undefined && { until }), ...(cursor && { cursor }) };
    const page = await client.matches.list(input, { signal });
    const matches = page.matches.filter(({ id }) => !known.has(id));
    cursor = page.next_cursor;
    if (matches.length > 0 || cursor === undefined) return { matches, hasMore: cursor !== undefined };
  }
}

/** A page ends early where payloads are large, so there may be several. The list shows no more than these. */
export async function newerThan(client: Client, filter: FeedFilter, signal: AbortSignal): Promise<Match[]> {
  const found: Match[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.matches.list({ ...filter, limit: PAGE, ...(cursor && { cursor }) }, { signal });
    found.push(...page.matches);
    cursor = page.next_cursor;
  } while (cursor !== undefined && found.length < MOST_SHOWN);
  return found;
}
