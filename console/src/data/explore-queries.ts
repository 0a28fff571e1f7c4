/** The queries for exploring: facets, saved views, deleted rules, the overlap of rules, and how webhooks do. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { client } from './client.ts';
import type { FeedFilter } from './feed-filter.ts';
import { DELIVERIES_EVERY, type WebhookStats } from './queries.ts';

const FACETS_EVERY = 30_000;
const STATS_EVERY = 30_000;

export const useFacets = (filter: FeedFilter) =>
  useQuery({
    queryKey: ['matches', 'facets', filter],
    queryFn: ({ signal }) => client.matches.facets(filter, { signal }),
    // A filter that ends in the past is counted once.
    refetchInterval: filter.until === undefined ? FACETS_EVERY : false,
    placeholderData: keepPreviousData,
  });

export const useViews = () =>
  useQuery({
    queryKey: ['views'],
    queryFn: ({ signal }) => client.views.list({}, { signal }),
    select: ({ views }) => views,
  });

/** Rules that can still be restored, the newest deletion first. */
export const useDeletedRules = () =>
  useQuery({
    queryKey: ['rules', 'deleted'],
    queryFn: ({ signal }) => client.rules.list({ deleted: true }, { signal }),
    select: ({ rules }) => rules,
  });

export const useOverlap = (input: { rule_ids?: string[]; from?: string }, options: { enabled?: boolean } = {}) =>
  useQuery({
    queryKey: ['matches', 'overlap', input],
    queryFn: ({ signal }) => client.rules.overlap(input, { signal }),
    staleTime: STATS_EVERY,
    ...options,
  });

const wasSent = (stats: WebhookStats | undefined): boolean =>
  stats?.buckets.some(({ attempts }) => attempts > 0) === true;

/** By default the server counts the last day. */
export const useWebhookStats = (webhookId: string, from?: string) =>
  useQuery({
    queryKey: ['deliveries', 'stats', webhookId, from],
    queryFn: ({ signal }) =>
      client.webhooks.stats({ webhook_id: webhookId, ...(from !== undefined && { from }) }, { signal }),
    // "Nothing was sent" must not stand beside the first delivery for long.
    refetchInterval: ({ state }) => (wasSent(state.data) ? STATS_EVERY : DELIVERIES_EVERY),
    placeholderData: keepPreviousData,
  });
