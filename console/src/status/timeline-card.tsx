/** Platforms and sources over the last 24 hours, one under the other, so that it is seen what failed together. */
import { Timeline } from '../chart/timeline.tsx';
import type { Status } from '../data/queries.ts';
import { Card } from '../ui/card.tsx';
import { timelineRows } from './timeline.ts';

const HOUR = 3_600_000;
const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });

const LEGEND = [
  { colour: 'bg-ok', words: 'listened to' },
  { colour: 'bg-warn', words: 'recovered, or in doubt' },
  { colour: 'bg-bad', words: 'missing' },
  { colour: 'bg-line', words: 'nothing on record' },
];

export function TimelineCard({ status, at }: { status: Status; at: number }) {
  const from = at - 24 * HOUR;
  return (
    <Card title="Timeline" aside="last 24 hours">
      <Timeline
        rows={timelineRows(status, from, at)}
        from={from}
        to={at}
        labels={['24 hours ago', clock.format(at - 12 * HOUR), 'now']}
      />
      <p className="mt-2 flex flex-wrap gap-x-4 gap-y-1 text-xs text-soft">
        {LEGEND.map(({ colour, words }) => (
          <span key={words} className="inline-flex items-center gap-1.5">
            <span aria-hidden className={`size-2 rounded-[2px] ${colour}`} />
            {words}
          </span>
        ))}
      </p>
    </Card>
  );
}
