/** The data that pages read, one hook each. A hook keeps its last answer while the next one loads. */
import { keepPreviousData, replaceEqualDeep, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import {
  type Answer,
  type Delivery,
  type Input,
  type Match,
  type Rule,
  type Silence,
  SluiceError,
  type View,
  type Webhook,
} from '../../../packages/client/src/index.ts';
import { client, listingClient } from './client.ts';
import { timeOfId } from './id-time.ts';
import { queryClient } from './query-client.ts';
import { noteAccount } from './session.ts';

export type { Delivery, Match, Rule, Silence, View, Webhook };
export type Status = Answer<'status'>;
export type Platform = Match['platform'];
export type Usage = Answer<'listUsage'>['accounts'][number];
export type Key = Answer<'listKeys'>['keys'][number];
export type Subscription = Answer<'listSubscriptions'>['subscriptions'][number];
export type Feed = Answer<'listFeeds'>['feeds'][number];
export type Grant = Answer<'listGrants'>['grants'][number];
export type Explanation = Answer<'explainMatch'>;
export type Counts = Pick<Answer<'matchCounts'>, 'interval' | 'counts'>;
export type Alert = Answer<'listAlerts'>['alerts'][number];
export type Change = Answer<'listChanges'>['changes'][number];
export type CountsInput = Input<'matchCounts'>;
export type Facets = Answer<'matchFacets'>;
export type Overlap = Answer<'ruleOverlap'>;
export type ListedSource = Answer<'listSources'>['sources'][number];
export type SourceCandidate = Answer<'discoverSource'>['candidates'][number];
export type WebhookStats = Answer<'webhookStats'>;

/** The first part of every query's key. A change names the subjects that it makes stale. */
export type Subject =
  | 'status'
  | 'rules'
  | 'matches'
  | 'webhooks'
  | 'deliveries'
  | 'keys'
  | 'grants'
  | 'feeds'
  | 'subscriptions'
  | 'changes'
  | 'usage'
  | 'views'
  | 'sources'
  | 'silences';

const STATUS_EVERY = 5_000;
const RULES_EVERY = 15_000;
const MOST_REPEATED = 1_000;
const COUNTS_EVERY = 30_000;
export const DELIVERIES_EVERY = 3_000;

export const useStatus = () =>
  useQuery({
    queryKey: ['status'],
    queryFn: async ({ signal }) => {
      const status = await client.status({}, { signal });
      noteAccount(status.account.id);
      noteRules(status);
      return status;
    },
    refetchInterval: STATUS_EVERY,
  });

let countedRules: string | undefined;

/** A rule that was made or deleted elsewhere is shown with the next status. */
function noteRules({ account, platforms }: Status): void {
  const counted = JSON.stringify([account.id, Object.values(platforms).map(({ rules }) => rules)]);
  if (countedRules !== undefined && countedRules !== counted)
    void queryClient.invalidateQueries({ queryKey: ['rules'], exact: true });
  countedRules = counted;
}

/** With a read-only key the console shows everything and offers no changes. */
export const useReadOnly = (): boolean => useStatus().data?.key.scope === 'read';

export const useRules = () =>
  useQuery({
    queryKey: ['rules'],
    queryFn: async ({ signal }) => (await listingClient.rules.list({}, { signal })).rules,
    // Few rules that are as before stay the same objects. To compare thousands takes longer than to draw those in view.
    structuralSharing: (before, after) =>
      (after as Rule[]).length > MOST_REPEATED ? after : replaceEqualDeep(before, after),
    // Thousands of rules are not polled; they load again when the reader returns to the page.
    refetchInterval: ({ state }) => ((state.data?.length ?? 0) > MOST_REPEATED ? false : RULES_EVERY),
  });

export const useRule = (ruleId: string) =>
  useQuery({
    queryKey: ['rules', ruleId],
    queryFn: ({ signal }) => client.rules.get({ rule_id: ruleId }, { signal }),
    // Others change it while it is watched. One that is gone is not asked for again.
    refetchInterval: ({ state }) => (isGone(state.error) ? false : RULES_EVERY),
  });

const isGone = (error: unknown): boolean => error instanceof SluiceError && error.code === 'not_found';

/** The number of matches in each interval; without times, of the last 24 intervals. */
export const useMatchCounts = (input: CountsInput, options: { enabled?: boolean } = {}) =>
  useQuery({
    queryKey: ['matches', 'counts', input],
    queryFn: ({ signal }) => client.matches.counts(input, { signal }),
    refetchInterval: COUNTS_EVERY,
    staleTime: COUNTS_EVERY,
    placeholderData: keepPreviousData,
    ...options,
  });

/** One match by its id: it says when the match was stored, and the list of that millisecond has it. */
export const useMatch = (matchId: string, options: { enabled?: boolean } = {}) =>
  useQuery({
    queryKey: ['matches', 'one', matchId],
    queryFn: ({ signal }) => findMatch(matchId, signal),
    staleTime: Number.POSITIVE_INFINITY,
    ...options,
  });

async function findMatch(matchId: string, signal: AbortSignal): Promise<Match | null> {
  const at = timeOfId(matchId);
  if (at === undefined) return null;
  const span = { since: new Date(at).toISOString(), until: new Date(at + 1).toISOString(), limit: 200 };
  for await (const page of client.matches.pages(span, { signal })) {
    const found = page.find(({ id }) => id === matchId);
    if (found !== undefined) return found;
  }
  return null;
}

export const useNewestMatches = (limit: number) =>
  useQuery({
    queryKey: ['matches', 'newest', limit],
    queryFn: ({ signal }) => client.matches.list({ limit }, { signal }),
    select: ({ matches }) => matches,
    refetchInterval: 10_000,
  });

export const useExplanation = (matchId: string, options: { enabled?: boolean } = {}) =>
  useQuery({
    queryKey: ['matches', 'explanation', matchId],
    queryFn: ({ signal }) => client.matches.explain({ match_id: matchId }, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    ...options,
  });

export const useWebhooks = () =>
  useQuery({
    queryKey: ['webhooks'],
    queryFn: ({ signal }) => client.webhooks.list({}, { signal }),
    select: ({ webhooks }) => webhooks,
    refetchInterval: 10_000,
  });

export const useSources = () =>
  useQuery({
    queryKey: ['sources'],
    queryFn: ({ signal }) => client.sources.list({}, { signal }),
    select: ({ sources }) => sources,
    refetchInterval: 10_000,
  });

/** The silences that hold now. */
export const useSilences = () =>
  useQuery({
    queryKey: ['silences'],
    queryFn: ({ signal }) => client.silences.list({}, { signal }),
    select: ({ silences }) => silences,
    refetchInterval: 10_000,
  });

export const useFeeds = () =>
  useQuery({
    queryKey: ['feeds'],
    queryFn: ({ signal }) => client.feeds.list({}, { signal }),
    select: ({ feeds }) => feeds,
  });

export type DeliveryFilter = Pick<Input<'listDeliveries'>, 'webhook_id' | 'status'>;

export const useDeliveries = (filter: DeliveryFilter) =>
  useInfiniteQuery({
    queryKey: ['deliveries', filter],
    queryFn: ({ signal, pageParam }) =>
      client.webhooks.deliveries({ ...filter, limit: 25, ...(pageParam && { cursor: pageParam }) }, { signal }),
    initialPageParam: '',
    getNextPageParam: (page) => page.next_cursor,
    // The log is polled to show new attempts, unless the reader has loaded more than two pages.
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 2 ? false : DELIVERIES_EVERY),
  });

export const useKeys = () =>
  useQuery({
    queryKey: ['keys'],
    queryFn: ({ signal }) => client.keys.list({}, { signal }),
    select: ({ keys }) => keys,
  });

/** For the operator alone. */
export const useUsage = () =>
  useQuery({
    queryKey: ['usage'],
    queryFn: ({ signal }) => client.accounts.usage({}, { signal }),
    select: ({ accounts }) => accounts,
    refetchInterval: STATUS_EVERY,
  });

export const useGrants = () =>
  useQuery({
    queryKey: ['grants'],
    queryFn: ({ signal }) => client.grants.list({}, { signal }),
  });

export const useSubscriptions = () =>
  useQuery({
    queryKey: ['subscriptions'],
    queryFn: ({ signal }) => client.subscriptions.list({}, { signal }),
    select: ({ subscriptions }) => subscriptions,
    refetchInterval: 10_000,
  });

/** Surges and silences, newest first: of one rule or of all. */
export const useAlerts = (ruleId?: string) =>
  useQuery({
    queryKey: ['alerts', ruleId],
    queryFn: ({ signal }) => client.alerts({ ...(ruleId !== undefined && { rule_id: ruleId }) }, { signal }),
    select: ({ alerts }) => alerts,
    refetchInterval: COUNTS_EVERY,
  });

/** The audit log, of the account or of one rule. Only a full key may read it. */
export const useChanges = (filter: Pick<Input<'listChanges'>, 'kind' | 'id'>, options: { enabled?: boolean } = {}) =>
  useInfiniteQuery({
    queryKey: ['changes', filter],
    queryFn: ({ signal, pageParam }) =>
      client.changes({ ...filter, limit: 50, ...(pageParam && { cursor: pageParam }) }, { signal }),
    initialPageParam: '',
    getNextPageParam: (page) => page.next_cursor,
    ...options,
  });
