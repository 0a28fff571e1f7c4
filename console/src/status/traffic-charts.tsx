/** Events and matches over time. A drag over a chart, or the same buttons as on the timeline, zoom in and out. */
import { type ReactNode, useMemo, useState } from 'react';
import { Chart } from '../chart/chart.tsx';
import { type Status, useMatchCounts } from '../data/queries.ts';
import { rangeWords } from '../timeline/happenings.ts';
import { columnsOf, intervalOf, presetRange, type Range, summed, within } from '../timeline/range.ts';
import { ZoomButtons } from '../timeline/zoom-buttons.tsx';
import { Card } from '../ui/card.tsx';
import { PLATFORM_NAMES } from '../ui/platform-badge.tsx';
import { serverNow } from '../ui/server-now.ts';
import { Skeleton } from '../ui/skeleton.tsx';
import { type Instance, lastHour, minutesUntil } from './traffic.ts';

const HEIGHT = 150;

export function TrafficCharts({ status, at }: { status: Status; at: number }) {
  return status.instance === undefined ? <OwnMatches /> : <Traffic instance={status.instance} at={at} />;
}

/** The counts of the server, minute by minute, for the last hour: both charts show the same time. */
function Traffic({ instance, at }: { instance: Instance; at: number }) {
  const [chosen, setChosen] = useState<Range>();
  const { times, series, range, isWhole } = useMemo(() => {
    const all = minutesUntil(at, instance);
    const whole = { from: all[0]!, to: all.at(-1)! };
    const shown = chosen === undefined ? whole : within(chosen, whole);
    const isShown = (time: number) => time >= shown.from && time <= shown.to;
    const of = (what: 'events' | 'matches') =>
      (['x', 'firehose'] as const).map((name) => ({
        name: PLATFORM_NAMES[name],
        colour: name === 'x' ? ('accent' as const) : ('soft' as const),
        values: lastHour(instance, name, what, all).filter((_, minute) => isShown(all[minute]!)),
      }));
    return {
      times: all.filter(isShown),
      series: { events: of('events'), matches: of('matches') },
      range: shown,
      isWhole: shown.from <= whole.from && shown.to >= whole.to,
    };
  }, [instance, at, chosen]);
  const show = (from: number, to: number) => setChosen({ from, to });
  const chart = { look: 'line', height: HEIGHT, times, onSelect: show } as const;
  return (
    <ZoomedCard title="Traffic" words={isWhole ? spanWords(times) : rangeWords(range)} range={range} onShow={setChosen}>
      <div className="grid gap-4 lg:grid-cols-2">
        <div className="min-w-0">
          <h3 className="text-xs text-faint">Events per minute</h3>
          <Chart label="Events per minute" series={series.events} {...chart} />
        </div>
        <div className="min-w-0">
          <h3 className="text-xs text-faint">Matches per minute</h3>
          <Chart label="Matches per minute" series={series.matches} {...chart} />
        </div>
      </div>
    </ZoomedCard>
  );
}

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });

/** A server that is younger than an hour has less than an hour to show. */
const spanWords = (times: readonly number[]): string =>
  times.length >= 60 ? 'last hour' : `since ${clock.format(times[0])}`;

const COLUMNS = 60;

/** Users other than the operator see only their own matches. */
function OwnMatches() {
  const [chosen, setChosen] = useState<Range>();
  const range = useMemo(() => chosen ?? presetRange('day', serverNow()), [chosen]);
  const interval = intervalOf(range);
  const { data } = useMatchCounts(
    useMemo(
      () => ({ interval, from: new Date(range.from).toISOString(), to: new Date(range.to).toISOString() }),
      [interval, range],
    ),
  );
  const drawn = useMemo(() => {
    const columns = columnsOf(range, interval, COLUMNS);
    const values = data && summed(data.counts, columns);
    return values && { times: columns.starts, series: [{ name: 'Matches', colour: 'accent' as const, values }] };
  }, [data, range, interval]);
  return (
    <ZoomedCard
      title="Your matches"
      words={chosen === undefined ? 'last 24 hours' : rangeWords(range)}
      range={range}
      onShow={setChosen}
    >
      {drawn === undefined ? (
        <Skeleton className="h-[170px] w-full" />
      ) : (
        <Chart
          label="Your matches"
          look="columns"
          height={HEIGHT}
          {...drawn}
          onSelect={(from, to) => setChosen({ from, to: Math.min(to, serverNow()) })}
        />
      )}
    </ZoomedCard>
  );
}

interface ZoomedCardProps {
  readonly title: string;
  /** Which time is shown. */
  readonly words: string;
  readonly range: Range;
  onShow(range: Range): void;
  readonly children: ReactNode;
}

function ZoomedCard({ title, words, range, onShow, children }: ZoomedCardProps) {
  return (
    <Card
      title={title}
      aside={
        <>
          <span>{words}</span>
          <ZoomButtons range={range} onShow={onShow} />
        </>
      }
    >
      {children}
      <p className="mt-1 text-xs text-faint">Drag over a time to zoom in.</p>
    </Card>
  );
}
