/** How often a webhook took what was sent, and how long that took, in the last 24 hours. */
import { useMemo } from 'react';
import { Chart } from '../chart/chart.tsx';
import { useWebhookStats } from '../data/explore-queries.ts';
import { Card } from '../ui/card.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { statsDrawn, successWords } from './webhook-stats.ts';

export function StatsCard({ webhookId, title }: { webhookId: string; title: string }) {
  const { data, error } = useWebhookStats(webhookId);
  const drawn = useMemo(() => data && statsDrawn(data), [data]);
  const words = data && successWords(data);
  return (
    <Card title={title} aside={words === undefined ? 'last 24 hours' : `${words} in the last 24 hours`}>
      {drawn === undefined ? (
        error === null ? (
          <Skeleton className="h-[140px] w-full" />
        ) : (
          <p className="text-bad">{error.message}</p>
        )
      ) : words === undefined ? (
        <p className="text-soft">Nothing was sent in this time.</p>
      ) : (
        <div className="grid gap-4 lg:grid-cols-2">
          <Chart label="Attempts" look="columns" height={120} times={drawn.times} series={drawn.attempts} />
          <Chart label="Time until the answer" look="line" height={120} times={drawn.times} series={drawn.latency} />
        </div>
      )}
    </Card>
  );
}
