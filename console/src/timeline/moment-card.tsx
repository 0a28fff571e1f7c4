/** One moment: what matched in it, what happened in it, and the ways to the matches themselves. */
import { Link, useNavigate } from '@tanstack/react-router';
import type { Series } from '../chart/chart.tsx';
import { useRules } from '../data/queries.ts';
import { Button, buttonClass } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { counted } from '../ui/moment.ts';
import { RulePicker } from '../ui/rule-picker.tsx';
import { serverNow } from '../ui/server-now.ts';
import { type Answers, emptyWords } from './answers.ts';
import { HappeningList } from './happening-list.tsx';
import { happeningsIn, rangeWords } from './happenings.ts';
import type { TimelineRow } from './lanes.tsx';
import { canZoomIn, type Range, zoomed } from './range.ts';

export interface MomentCardProps {
  /** The moment. */
  readonly range: Range;
  /** The time that the timeline shows. */
  readonly shown: Range;
  readonly rows: readonly TimelineRow[];
  /** They are undefined until they are known. */
  readonly series: readonly Series[] | undefined;
  readonly answers: Answers;
  readonly column: number;
  onZoom(range: Range): void;
}

/** The shown time is a quarter as long then. */
const CLOSER = 0.25;

export function MomentCard({ range, shown, rows, series, answers, column, onZoom }: MomentCardProps) {
  const found = (series ?? [])
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
          {canZoomIn(shown) && (
            <Button
              size="small"
              onClick={() => onZoom(zoomed(shown, CLOSER, serverNow(), (range.from + range.to) / 2))}
            >
              Zoom in here
            </Button>
          )}
          {total > 0 && (
            <Link to="/matches/{-$matchId}" params={{}} search={search} className={buttonClass('plain', 'small')}>
              Show these matches
            </Link>
          )}
        </>
      }
    >
      <p className="border-b px-3 py-2">
        {series === undefined
          ? 'How much matched is not known yet.'
          : total === 0
            ? 'Nothing matched.'
            : `${counted(total, 'match', 'matches')}: ${found.map(({ name, count }) => `${name} ${count}`).join(', ')}.`}
      </p>
      <HappeningList happenings={happeningsIn(rows, range)} empty={emptyWords(answers, 'Nothing else is on record.')} />
      <WhyNotThen />
    </Card>
  );
}

/** The way to a rule's own answer, for somebody who expected a match at this moment. */
function WhyNotThen() {
  const { data: rules = [] } = useRules();
  const navigate = useNavigate();
  if (rules.length === 0) return null;
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2 border-t px-3 py-2">
      <p className="text-soft">Is a match missing here? Ask its rule why not:</p>
      <RulePicker
        rules={rules}
        value={undefined}
        none="Choose a rule"
        className="max-w-64"
        onChange={(rule) =>
          rule !== undefined &&
          void navigate({ to: '/rules/$ruleId', params: { ruleId: rule.id }, search: { tab: 'edit' }, hash: 'why-not' })
        }
      />
    </div>
  );
}
