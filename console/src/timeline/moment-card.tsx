/** One moment: what matched in it, what happened in it, and the ways to the matches themselves. */
import { Link } from '@tanstack/react-router';
import type { Series } from '../chart/chart.tsx';
import { Button, buttonClass } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { counted } from '../ui/moment.ts';
import { HappeningList } from './happening-list.tsx';
import { happeningsIn, rangeWords } from './happenings.ts';
import type { TimelineRow } from './lanes.tsx';
import type { Range } from './range.ts';

export interface MomentCardProps {
  readonly range: Range;
  readonly rows: readonly TimelineRow[];
  readonly series: readonly Series[];
  readonly column: number;
  onZoom(range: Range): void;
}

export function MomentCard({ range, rows, series, column, onZoom }: MomentCardProps) {
  const found = series
    .map(({ name, values }) => ({ name, count: values[column] ?? 0 }))
    .filter(({ count }) => count > 0);
  const total = found.reduce((sum, { count }) => sum + count, 0);
  const search = { since: new Date(range.from).toISOString(), until: new Date(range.to).toISOString(), view: 'single' };
  return (
    <Card
      title={rangeWords(range)}
      flush
      aside={
        <>
          <Button
            size="small"
            onClick={() =>
              onZoom({ from: range.from - (range.to - range.from) * 5, to: range.to + (range.to - range.from) * 5 })
            }
          >
            Zoom in here
          </Button>
          {total > 0 && (
            <Link to="/matches/{-$matchId}" params={{}} search={search} className={buttonClass('plain', 'small')}>
              Show these matches
            </Link>
          )}
        </>
      }
    >
      <p className="border-b px-3 py-2">
        {total === 0
          ? 'Nothing matched.'
          : `${counted(total, 'match', 'matches')}: ${found.map(({ name, count }) => `${name} ${count}`).join(', ')}.`}
      </p>
      <HappeningList happenings={happeningsIn(rows, range)} empty="Nothing else is on record." />
    </Card>
  );
}
