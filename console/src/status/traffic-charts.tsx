/** Events and matches, minute by minute, for the last hour. */
import { useMemo } from 'react';
import { Chart } from '../chart/chart.tsx';
import { type Status, useMatchCounts } from '../data/queries.ts';
import { Card } from '../ui/card.tsx';
import { PLATFORM_NAMES } from '../ui/platform-badge.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { type Instance, lastHour, minutesUntil } from './traffic.ts';

const HEIGHT = 150;

export function TrafficCharts({ status, at }: { status: Status | undefined; at: number }) {
  if (status !== undefined && status.instance === undefined) return <OwnMatches />;
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      <Traffic title="Events per minute" of="events" instance={status?.instance} at={at} />
      <Traffic title="Matches per minute" of="matches" instance={status?.instance} at={at} />
    </div>
  );
}

interface TrafficProps {
  readonly title: string;
  readonly of: 'events' | 'matches';
  readonly instance: Instance | undefined;
  readonly at: number;
}

function Traffic({ title, of, instance, at }: TrafficProps) {
  const drawn = useMemo(() => {
    if (instance === undefined) return undefined;
    const times = minutesUntil(at, instance);
    return {
      times,
      series: [
        { name: PLATFORM_NAMES.x, colour: 'accent' as const, values: lastHour(instance, 'x', of, times) },
        { name: PLATFORM_NAMES.firehose, colour: 'soft' as const, values: lastHour(instance, 'firehose', of, times) },
      ],
    };
  }, [instance, of, at]);
  return (
    <Card title={title} aside={drawn === undefined ? undefined : spanWords(drawn.times)}>
      {drawn === undefined ? <Placeholder /> : <Chart label={title} look="line" height={HEIGHT} {...drawn} />}
    </Card>
  );
}

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });

/** A server that is younger than an hour has less than an hour to show. */
const spanWords = (times: readonly number[]): string =>
  times.length >= 60 ? 'last hour' : `since ${clock.format(times[0])}`;

/** Users other than the operator see only their own matches. */
function OwnMatches() {
  const { data } = useMatchCounts(useMemo(() => ({ interval: 'hour' as const }), []));
  const drawn = useMemo(
    () =>
      data && {
        times: data.counts.map(({ at }) => Date.parse(at)),
        series: [{ name: 'Matches', colour: 'accent' as const, values: data.counts.map(({ count }) => count) }],
      },
    [data],
  );
  return (
    <Card title="Matches per hour" aside="last 24 hours">
      {drawn === undefined ? (
        <Placeholder />
      ) : (
        <Chart label="Matches per hour" look="columns" height={HEIGHT} {...drawn} />
      )}
    </Card>
  );
}

const Placeholder = () => <Skeleton className="h-[170px] w-full" />;
