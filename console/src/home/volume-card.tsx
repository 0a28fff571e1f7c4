/** Volume by rule: what matched in the last day, week or month, with the times in which matches may be missing. */
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { Chart } from '../chart/chart.tsx';
import { client } from '../data/client.ts';
import { type Rule, type Status, useRules } from '../data/queries.ts';
import { missingSpans } from '../matches/gaps.ts';
import { Card } from '../ui/card.tsx';
import { Segments } from '../ui/segments.tsx';
import { serverNow } from '../ui/server-now.ts';
import { Skeleton } from '../ui/skeleton.tsx';
import { trendOf } from './trend.ts';
import { candidates, stackOf } from './volume-by-rule.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** `compared`: how many hours are compared with those before them, where matches are counted by the hour. */
const SPANS = {
  '24h': { label: '24 h', interval: 'hour', milliseconds: DAY, compared: 24 },
  '7d': { label: '7 days', interval: 'hour', milliseconds: 7 * DAY, compared: 168 },
  '30d': { label: '30 days', interval: 'day', milliseconds: 30 * DAY, compared: 0 },
} as const;
type SpanName = keyof typeof SPANS;

export function VolumeCard({ status, at }: { status: Status | undefined; at: number }) {
  const [span, setSpan] = useState<SpanName>('24h');
  const navigate = useNavigate();
  const showTime = (from: number, to: number) =>
    void navigate({
      to: '/timeline',
      search: { since: new Date(from).toISOString(), until: new Date(Math.min(to, serverNow())).toISOString() },
    });
  const { data: rules } = useRules();
  const { data, error } = useVolume(rules, span);
  const drawn = useMemo(() => {
    if (data === undefined) return undefined;
    const names = new Map(rules?.map(({ id, name }) => [id, name]));
    const counts = data.counts.map(({ count }) => count);
    return { times: data.counts.map((one) => Date.parse(one.at)), series: stackOf(counts, data.byRule, names) };
  }, [data, rules]);
  const hours = SPANS[span].compared;
  const trend =
    status && data && hours > 0
      ? trendOf({ status, now: at, hours, counts: [...data.before, ...data.counts] })
      : undefined;
  const shaded = missingSpans(status, { now: at }).filter(
    ({ to }) => drawn !== undefined && to > (drawn.times[0] ?? 0),
  );
  return (
    <Card
      title="Volume by rule"
      aside={
        <>
          <Link to="/timeline" search={{}} className="link">
            Last night
          </Link>
          <Segments<SpanName>
            label="Time"
            value={span}
            onChange={setSpan}
            options={Object.entries(SPANS).map(([name, { label }]) => ({ name: name as SpanName, label }))}
          />
        </>
      }
    >
      {error !== null && drawn === undefined ? (
        <p className="text-bad">{error.message}</p>
      ) : drawn === undefined ? (
        <Skeleton className="h-[200px] w-full" />
      ) : (
        <>
          <Chart
            label="Matches by rule"
            look="columns"
            height={170}
            times={drawn.times}
            series={drawn.series}
            shaded={shaded}
            onSelect={showTime}
          />
          {trend !== undefined && <p className="mt-1 text-xs text-soft">{trend}</p>}
          <p className="mt-1 text-xs text-faint">Drag over a time to see it on the timeline.</p>
          {shaded.length > 0 && (
            <p className="mt-1 text-xs text-bad">
              Matches may be missing from the shaded times: Sluice could not listen.
            </p>
          )}
        </>
      )}
    </Card>
  );
}

const EVERY = 60_000;

function useVolume(rules: readonly Rule[] | undefined, span: SpanName) {
  const { interval, milliseconds, compared } = SPANS[span];
  return useQuery({
    queryKey: ['matches', 'volume', span, rules?.length],
    queryFn: async ({ signal }) => {
      const since = serverNow() - milliseconds;
      const input = { interval, from: new Date(since).toISOString() };
      const ids = candidates(rules!, since);
      const [all, some] = await Promise.all([
        client.matches.counts({ interval, from: new Date(since - compared * HOUR).toISOString() }, { signal }),
        ids.length === 0 ? undefined : client.matches.counts({ ...input, rule_ids: ids }, { signal }),
      ]);
      // One count an hour.
      return { counts: all.counts.slice(compared), before: all.counts.slice(0, compared), byRule: some?.by_rule ?? {} };
    },
    enabled: rules !== undefined,
    refetchInterval: EVERY,
    staleTime: EVERY / 2,
  });
}
