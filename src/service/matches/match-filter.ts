/** Which matches a caller asks for: the same fields for lists, facets and counts. */
import { z } from 'zod';
import { WALK_TO_SOURCE } from '../../store/nouns/matches.ts';
import type { AfterPage, AfterQuery, MatchPage, MatchQuery, Store } from '../../store/store.ts';
import { type Caller, seesRule } from '../access/caller.ts';
import type { ReadContext } from '../context.ts';
import { ruleOf } from '../rules/read-rules.ts';
import { characters, instant, keyOfEvent, platform, rating, ruleId } from '../shapes.ts';

export const matchFields = {
  rule_id: ruleId.optional(),
  platform: platform.optional(),
  story_id: z.string().optional().describe('Only matches of this story.'),
  event_id: z
    .string()
    .optional()
    .describe(
      'Only matches of this post or page. Those that were stored before stories were told apart are not found by it.',
    ),
  since: instant.optional().describe('Only matches stored at or after this time.'),
  until: instant.optional().describe('Only matches stored before this time.'),
  text: characters(1, 200)
    .optional()
    .describe('Only matches whose text or title contains this, in upper or lower case.'),
  author: characters(1, 200).optional().describe('Only posts by this author: a name with or without `@`, or an id.'),
  domain: characters(1, 253)
    .optional()
    .describe('Only pages of this domain, and posts that link to it; its subdomains count.'),
  language: characters(1, 35).optional().describe('Only events in this language, for instance `en`.'),
  source: characters(1, 200).optional().describe('Only events that this source brought, as in `source` of a match.'),
  rating: rating.optional().describe('Only matches that were rated so.'),
  min_relevance: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe(
      'Only matches of this `relevance` or more; those whose relevance is null are left out. Where a match is `judged`, that decides.',
    ),
};

const filter = z.strictObject(matchFields);
export type MatchSelection = z.output<typeof filter>;

/** Makes the store's query of a filter. Throws for a rule that the caller does not see. */
export async function queryOfFilter(
  context: ReadContext,
  caller: Caller,
  input: MatchSelection,
): Promise<Omit<MatchQuery, 'limit'>> {
  if (input.rule_id !== undefined) await ruleOf(context, caller, input.rule_id);
  return {
    accountId: caller.account.id,
    ...(input.rule_id === undefined ? {} : { ruleId: input.rule_id }),
    ...(input.platform === undefined ? {} : { platform: input.platform }),
    ...(input.story_id === undefined ? {} : { storyId: input.story_id }),
    ...(input.event_id === undefined ? {} : { eventKey: keyOfEvent(input.event_id) }),
    ...(input.since === undefined ? {} : { since: new Date(input.since) }),
    ...(input.until === undefined ? {} : { until: new Date(input.until) }),
    ...(input.text === undefined ? {} : { text: input.text }),
    ...(input.author === undefined ? {} : { author: input.author }),
    ...(input.domain === undefined ? {} : { domain: input.domain }),
    ...(input.language === undefined ? {} : { language: input.language }),
    ...(input.source === undefined ? {} : { source: input.source }),
    ...(input.rating === undefined ? {} : { rating: input.rating }),
  };
}

/** Reads pages of what the caller may see; of these rules alone where they are given. */
export function readerOf(
  { store }: Pick<ReadContext, 'store'>,
  caller: Caller,
  { rule_id }: Pick<MatchSelection, 'rule_id'>,
  only?: readonly string[],
): (query: MatchQuery) => Promise<MatchPage> {
  const seen = only?.filter((id) => seesRule(caller, id));
  const ruleIds = rule_id === undefined ? (seen ?? caller.grant?.ruleIds) : undefined;
  return (query) => (ruleIds === undefined ? store.matches(query) : matchesOfRules(store, query, ruleIds));
}

/** Pages of several rules merged into one. A page ends where one of its rules was not read further. */
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
    ruleIds.map((id) => store.matches({ ...query, ...shareOf(query, ruleIds), before, ruleId: id })),
  );
  const complete = Math.max(...pages.map(({ next }) => next ?? Number.NEGATIVE_INFINITY));
  const all = pages.flatMap(({ matches }) => matches).filter(({ position }) => position >= complete);
  const matches = all.toSorted((one, other) => other.position - one.position).slice(0, query.limit);
  const end = matches.length < all.length ? matches.at(-1)!.position : complete;
  return { matches, next: Number.isFinite(end) ? end : undefined, latest, walked: walkedIn(pages) };
}

const walkedIn = (pages: readonly Pick<MatchPage, 'walked'>[]): MatchPage['walked'] => ({
  rows: pages.reduce((sum, { walked }) => sum + walked.rows, 0),
  bytes: pages.reduce((sum, { walked }) => sum + walked.bytes, 0),
});

/** Oldest first. */
export async function matchesAfterOfRules(
  store: Pick<Store, 'matchesAfter' | 'latest'>,
  query: AfterQuery,
  ruleIds: Rules,
): Promise<AfterPage> {
  const latest = Math.max(await store.latest(), query.after);
  const share = shareOf({ ...query, ...(query.source !== undefined && { walk: WALK_TO_SOURCE }) }, ruleIds);
  const pages = await Promise.all(ruleIds.map((id) => store.matchesAfter({ ...query, ...share, ruleId: id })));
  const complete = Math.min(latest, ...pages.map(({ last }) => last));
  const all = pages.flatMap(({ matches }) => matches).filter(({ position }) => position <= complete);
  const matches = all.toSorted((one, other) => one.position - other.position).slice(0, query.limit);
  const isCut = matches.length < all.length;
  const last = isCut ? matches.at(-1)!.position : complete;
  return { matches, last, more: isCut || pages.some(({ more }) => more), walked: walkedIn(pages) };
}

/** The rules share the bytes of a page. Each yields one match at least, so that every page goes on. */
const shareOf = (
  { bytes, walk }: Pick<MatchQuery, 'bytes' | 'walk'>,
  { length }: Rules,
): Pick<MatchQuery, 'bytes' | 'walk'> => ({
  ...(bytes !== undefined && { bytes: Math.ceil(bytes / length) }),
  ...(walk !== undefined && { walk: { rows: Math.ceil(walk.rows / length), bytes: Math.ceil(walk.bytes / length) } }),
});
