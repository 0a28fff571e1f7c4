/** A rule is judged by its rated matches and its recent ones, up to a number and a size. */
import type { Payload, StoredMatch } from '../../domain/match.ts';
import type { Platform } from '../../domain/platform.ts';
import { newAnalyzer } from '../../engine/events/analyzer.ts';
import { isRejection } from '../../engine/events/event-view.ts';
import { queryHolds } from '../../engine/one-rule/holds.ts';
import { ViewLookup } from '../../engine/one-rule/view-lookup.ts';
import type { Query } from '../../rules/query.ts';
import type { MatchQuery, Store } from '../../store/store.ts';

/** Matches of each rating, and recent ones. */
const MAX_RATED = 1_000;
const MAX_RECENT = 2_000;
const PAGE = 500;
/** Matches of each kind are read up to so many bytes: a payload may have a megabyte. */
const MAX_BYTES = 16 * 1024 * 1024;

export interface RatedMatches {
  readonly relevant: readonly StoredMatch[];
  readonly irrelevant: readonly StoredMatch[];
  /** The newest, rated or not. */
  readonly recent: readonly StoredMatch[];
}

type Reads = Pick<Store, 'matches'>;

export async function ratedMatches(
  store: Reads,
  of: { readonly accountId: string; readonly ruleId: string; readonly platform: Platform },
): Promise<RatedMatches> {
  return {
    relevant: await upTo(store, { ...of, rating: 'relevant', limit: MAX_RATED }),
    irrelevant: await upTo(store, { ...of, rating: 'irrelevant', limit: MAX_RATED }),
    recent: await upTo(store, { ...of, limit: MAX_RECENT }),
  };
}

async function upTo(store: Reads, query: MatchQuery): Promise<StoredMatch[]> {
  const found: StoredMatch[] = [];
  let bytes = MAX_BYTES;
  for (let before = query.before; ; ) {
    const limit = Math.min(PAGE, query.limit - found.length);
    const page = await store.matches({ ...query, limit, bytes, ...(before === undefined ? {} : { before }) });
    found.push(...page.matches);
    for (const match of page.matches) bytes -= Buffer.byteLength(match.json ?? '');
    before = page.next;
    if (before === undefined || found.length >= query.limit || bytes <= 0) return found;
  }
}

export interface Trial {
  readonly platform: Platform;
  readonly queries: readonly Query[];
  /** When they are judged: one time for all, or the time of each. */
  readonly now: number | readonly number[];
  readonly checkpoint: () => void;
}

/** For each event the numbers of the queries that match it; undefined for what is no event. */
export function judgeTexts(
  { platform, queries, now, checkpoint }: Trial,
  payloads: readonly Payload[],
): (readonly number[] | undefined)[] {
  const analyze = newAnalyzer(platform);
  return payloads.map((payload, at) => {
    checkpoint();
    const view = analyze(payload);
    if (isRejection(view)) return undefined;
    const lookup = new ViewLookup(view, typeof now === 'number' ? now : now[at]!);
    return queries.flatMap((query, number) => (queryHolds(query, lookup) ? [number] : []));
  });
}
