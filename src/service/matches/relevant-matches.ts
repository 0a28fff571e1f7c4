/** A page of the matches that are relevant enough: a walk through pages of all of them, up to a bound. */
import { setImmediate } from 'node:timers/promises';
import type { Match } from '../../domain/match.ts';
import type { MatchPage, MatchQuery } from '../../store/store.ts';

/** Matches read at a time, and before a page ends short of its limit. */
const AT_ONCE = 200;
const LONGEST_WALK = 5_000;

export async function relevantMatches(
  read: (query: MatchQuery) => Promise<MatchPage>,
  query: MatchQuery,
  least: number,
): Promise<MatchPage> {
  const kept: Match[] = [];
  let { before } = query;
  let latest: number | undefined;
  let bytes = 0;
  const walkedAll = { rows: 0, bytes: 0 };
  for (let walked = 0; walked < LONGEST_WALK; ) {
    const page = await read({ ...query, limit: AT_ONCE, ...(before === undefined ? {} : { before }) });
    latest ??= page.latest;
    walkedAll.rows += page.walked.rows;
    walkedAll.bytes += page.walked.bytes;
    for (const [index, match] of page.matches.entries()) {
      if (match.relevance === undefined || match.relevance < least) continue;
      kept.push(match);
      bytes += Buffer.byteLength(match.json ?? JSON.stringify(match.payload));
      if (kept.length < query.limit && bytes < (query.bytes ?? Infinity)) continue;
      const isLast = index === page.matches.length - 1;
      return { matches: kept, next: isLast ? page.next : match.position, latest, walked: walkedAll };
    }
    if (page.next === undefined) return { matches: kept, next: undefined, latest, walked: walkedAll };
    before = page.next;
    // A page may be short of its limit because of its bytes, which cost time, too.
    walked += AT_ONCE;
    await setImmediate();
  }
  return { matches: kept, next: before, latest: latest!, walked: walkedAll };
}
