/** Asks for all that is known of a time, with the questions that the other pages ask, too. */
import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Series } from '../chart/chart.tsx';
import { client } from '../data/client.ts';
import {
  type Rule,
  useAlerts,
  useReadOnly,
  useRules,
  useSilences,
  useSources,
  useStatus,
  useWebhooks,
} from '../data/queries.ts';
import { candidates, stackOf } from '../home/volume-by-rule.ts';
import { useMedia, WIDE } from '../ui/use-media.ts';
import type { Known } from './happenings.ts';
import { columnsOf, intervalOf, type Range, summed } from './range.ts';

const EVERY = 30_000;
const MOST_CHANGES = 500;
/** Webhooks whose attempts are asked for. */
const MOST_WEBHOOKS = 10;
/** How long before the shown time a silence may have begun that holds in it. */
const BEFORE = 30 * 86_400_000;

const instants = ({ from, to }: Range) => ({ from: new Date(from).toISOString(), to: new Date(to).toISOString() });

export function useTimeline(range: Range) {
  const { data: status, dataUpdatedAt, error, refetch } = useStatus();
  const { data: rules } = useRules();
  const { data: alerts = [] } = useAlerts();
  const { data: silences = [] } = useSilences();
  const { data: sources = [] } = useSources();
  const changes = usePastChanges(range);
  const { deliveries, left } = usePastDeliveries(range);
  const names = useMemo(() => new Map(rules?.map(({ id, name }) => [id, name])), [rules]);
  const known: Known | undefined = status && {
    status,
    sources,
    names,
    alerts,
    changes: changes.data?.found ?? [],
    silences,
    deliveries,
    now: dataUpdatedAt,
  };
  return {
    known,
    error,
    refetch,
    hasChanges: changes.isEnabled,
    unasked: { webhooks: left, hasMoreChanges: changes.data?.hasMore ?? false },
    ...useVolume(rules, names, range),
  };
}

/** Only a full key may see what was changed. */
function usePastChanges(range: Range) {
  const isReadOnly = useReadOnly();
  const since = new Date(range.from - BEFORE).toISOString();
  const until = new Date(range.to).toISOString();
  const ask = (kind: 'rule' | 'silence', from: string, signal: AbortSignal) =>
    client.changes({ kind, since: from, until, limit: MOST_CHANGES }, { signal });
  return useQuery({
    queryKey: ['changes', 'past', range.from, range.to],
    queryFn: async ({ signal }) => {
      const pages = [
        await ask('rule', new Date(range.from).toISOString(), signal),
        await ask('silence', since, signal),
      ];
      return {
        found: pages.flatMap(({ changes }) => changes),
        hasMore: pages.some(({ next_cursor }) => next_cursor !== undefined),
      };
    },
    enabled: !isReadOnly,
    refetchInterval: EVERY,
    placeholderData: keepPreviousData,
  });
}

/** How many webhooks are left out is said. */
function usePastDeliveries(range: Range): { deliveries: Known['deliveries']; left: number } {
  const { data: webhooks = [] } = useWebhooks();
  const asked = webhooks.slice(0, MOST_WEBHOOKS);
  const answers = useQueries({
    queries: asked.map(({ id }) => ({
      queryKey: ['deliveries', 'past', id, range.from, range.to],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        client.webhooks.stats({ webhook_id: id, ...instants(range) }, { signal }),
      refetchInterval: EVERY,
      placeholderData: keepPreviousData,
    })),
  });
  return {
    deliveries: asked.map((webhook, at) => ({ webhook, stats: answers[at]?.data })),
    left: webhooks.length - asked.length,
  };
}

/** Matches by rule, in columns; the loudest rules of the shown time by name. */
function useVolume(rules: readonly Rule[] | undefined, names: ReadonlyMap<string, string>, range: Range) {
  const interval = intervalOf(range);
  const most = useMedia(WIDE) ? 120 : 45;
  const { data } = useQuery({
    queryKey: ['matches', 'timeline', range.from, range.to, rules?.length],
    queryFn: async ({ signal }) => {
      const input = { interval, ...instants(range) };
      const ids = candidates(rules!, range.from);
      const [all, some] = await Promise.all([
        client.matches.counts(input, { signal }),
        ids.length === 0 ? undefined : client.matches.counts({ ...input, rule_ids: ids }, { signal }),
      ]);
      return { counts: all.counts, byRule: some?.by_rule ?? {} };
    },
    enabled: rules !== undefined,
    refetchInterval: EVERY,
    placeholderData: keepPreviousData,
  });
  return useMemo(() => {
    const columns = columnsOf(range, interval, most);
    if (data === undefined) return { columns, series: undefined, total: 0 };
    const { counts, byRule } = data;
    const inColumns = (values: readonly number[]) =>
      summed(
        counts.map(({ at }, index) => ({ at, count: values[index] ?? 0 })),
        columns,
      );
    const all = inColumns(counts.map(({ count }) => count));
    const columnsByRule = Object.fromEntries(Object.entries(byRule).map(([id, values]) => [id, inColumns(values)]));
    const series: Series[] = stackOf(all, columnsByRule, names);
    return { columns, series, total: all.reduce((sum, count) => sum + count, 0) };
  }, [data, range, interval, most, names]);
}
