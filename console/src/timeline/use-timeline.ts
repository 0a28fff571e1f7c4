/** Asks for all that is known of a time, with the questions that the other pages ask, too. */
import { keepPreviousData, type UseQueryResult, useQueries, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Series } from '../chart/chart.tsx';
import { client } from '../data/client.ts';
import {
  type Rule,
  useReadOnly,
  useRules,
  useSilences,
  useSources,
  useStatus,
  useWebhooks,
  type Webhook,
} from '../data/queries.ts';
import { candidates, stackOf } from '../home/volume-by-rule.ts';
import { byServer } from '../ui/server-now.ts';
import { useMedia, WIDE } from '../ui/use-media.ts';
import { type Answers, answersOf } from './answers.ts';
import type { Known } from './happenings.ts';
import { columnsOf, intervalOf, type Range, summed } from './range.ts';

const EVERY = 30_000;
const MOST_CHANGES = 500;
/** The server lists no more alerts at once. */
export const MOST_ALERTS = 200;
/** Webhooks whose attempts are asked for. */
const MOST_WEBHOOKS = 10;
/** How long before the shown time a silence may have begun that holds in it. */
const BEFORE = 30 * 86_400_000;

const instants = ({ from, to }: Range) => ({ from: new Date(from).toISOString(), to: new Date(to).toISOString() });

export function useTimeline(range: Range) {
  const { data: status, dataUpdatedAt, error, refetch } = useStatus();
  const rules = useRules();
  const alerts = usePastAlerts();
  const silences = useSilences();
  const sources = useSources();
  const changes = usePastChanges(range);
  const webhooks = useWebhooks();
  const { deliveries, left, asked } = usePastDeliveries(webhooks.data, range);
  const names = useMemo(() => new Map(rules.data?.map(({ id, name }) => [id, name])), [rules.data]);
  const volume = useVolume(rules.data, range);
  const known: Known | undefined = status && {
    status,
    sources: sources.data ?? [],
    names,
    alerts: alerts.data?.alerts ?? [],
    changes: changes.data?.found ?? [],
    silences: silences.data ?? [],
    deliveries,
    now: byServer(dataUpdatedAt),
  };
  const answers: Answers = answersOf({
    matches: [volume],
    rules: [rules],
    'surges and silences': [alerts],
    'what is muted': [silences],
    sources: [sources],
    changes: [changes],
    webhooks: [webhooks],
    deliveries: asked,
  });
  const hasMore = { changes: changes.data?.hasMore ?? false, alerts: alerts.data?.next_cursor !== undefined };
  return {
    known,
    error,
    refetch,
    answers,
    hasChanges: changes.isEnabled,
    unasked: { webhooks: left, hasMore },
    ...useColumns(volume.data, names, range),
  };
}

/** The newest, of whatever time: the server does not list them by time. */
const usePastAlerts = () =>
  useQuery({
    queryKey: ['alerts', 'past'],
    queryFn: ({ signal }) => client.alerts({ limit: MOST_ALERTS }, { signal }),
    refetchInterval: EVERY,
  });

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

interface PastDeliveries {
  readonly deliveries: Known['deliveries'];
  /** How many webhooks are left out is said. */
  readonly left: number;
  readonly asked: readonly UseQueryResult[];
}

function usePastDeliveries(webhooks: readonly Webhook[] = [], range: Range): PastDeliveries {
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
    asked: answers,
  };
}

/** Matches by rule. The counts of one time say nothing of another: none stand in for those that are not here yet. */
function useVolume(rules: readonly Rule[] | undefined, range: Range) {
  const interval = intervalOf(range);
  return useQuery({
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
  });
}

type Volume = NonNullable<ReturnType<typeof useVolume>['data']>;

/** The loudest rules of the shown time by name. The series are undefined until they are known. */
function useColumns(data: Volume | undefined, names: ReadonlyMap<string, string>, range: Range) {
  const interval = intervalOf(range);
  const most = useMedia(WIDE) ? 120 : 45;
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
