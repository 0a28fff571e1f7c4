/** Pages of several rules merged into one. A page ends where one of its rules was not read further. */
import type { AfterPage, AfterQuery, MatchPage, MatchQuery, Store } from '../../store/store.ts';

type Rules = readonly string[];

/** Newest first. */
export async function matchesOfRules(
  store: Pick<Store, 'matches' | 'latest'>,
  query: MatchQuery,
  ruleIds: Rules,
): Promise<MatchPage> {
  // Read first: a match that arrives between two reads is then on no page rather than on one with others missing.
  const latest = await store.latest();
  const before = Math.min(query.before ?? Number.POSITIVE_INFINITY, latest + 1);
  const pages = await Promise.all(
    ruleIds.map((ruleId) => store.matches({ ...query, ...shareOf(query, ruleIds), before, ruleId })),
  );
  const complete = Math.max(...pages.map(({ next }) => next ?? Number.NEGATIVE_INFINITY));
  const all = pages.flatMap(({ matches }) => matches).filter(({ position }) => position >= complete);
  const matches = all.toSorted((one, other) => other.position - one.position).slice(0, query.limit);
  const end = matches.length < all.length ? matches.at(-1)!.position : complete;
  const walked = {
    rows: pages.reduce((sum, page) => sum + page.walked.rows, 0),
    bytes: pages.reduce((sum, page) => sum + page.walked.bytes, 0),
  };
  return { matches, next: Number.isFinite(end) ? end : undefined, latest, walked };
}

/** Oldest first. */
export async function matchesAfterOfRules(
  store: Pick<Store, 'matchesAfter' | 'latest'>,
  query: AfterQuery,
  ruleIds: Rules,
): Promise<AfterPage> {
  const latest = Math.max(await store.latest(), query.after);
  const pages = await Promise.all(
    ruleIds.map((ruleId) => store.matchesAfter({ ...query, ...shareOf(query, ruleIds), ruleId })),
  );
  const complete = Math.min(latest, ...pages.map(({ last }) => last));
  const all = pages.flatMap(({ matches }) => matches).filter(({ position }) => position <= complete);
  const matches = all.toSorted((one, other) => one.position - other.position).slice(0, query.limit);
  const isCut = matches.length < all.length;
  const last = isCut ? matches.at(-1)!.position : complete;
  return { matches, last, more: isCut || pages.some(({ more }) => more) };
}

/** The rules share the bytes of a page. Each yields one match at least, so that every page goes on. */
const shareOf = (
  { bytes, walk }: Pick<MatchQuery, 'bytes' | 'walk'>,
  { length }: Rules,
): Pick<MatchQuery, 'bytes' | 'walk'> => ({
  ...(bytes !== undefined && { bytes: Math.ceil(bytes / length) }),
  ...(walk !== undefined && { walk: { rows: Math.ceil(walk.rows / length), bytes: Math.ceil(walk.bytes / length) } }),
});
