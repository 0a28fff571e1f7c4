/** One timeline of what happened: how much matched, what was missing, what was changed, what was delivered. */
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { SeriesName } from '../chart/chart.tsx';
import { Card } from '../ui/card.tsx';
import { counted, figure } from '../ui/moment.ts';
import { Page } from '../ui/page.tsx';
import { Segments } from '../ui/segments.tsx';
import { serverNow } from '../ui/server-now.ts';
import { Skeleton, SkeletonRows } from '../ui/skeleton.tsx';
import { ErrorState } from '../ui/states.tsx';
import { type Answers, emptyWords } from './answers.ts';
import { HappeningList } from './happening-list.tsx';
import { happeningsIn, lanesOf, rangeWords, rulesWithoutLane, standingOut, verdictOf } from './happenings.ts';
import { Lanes } from './lanes.tsx';
import { MomentCard } from './moment-card.tsx';
import { PRESETS, type Preset, presetRange, type Range, rangeOf } from './range.ts';
import { MOST_ALERTS, useTimeline } from './use-timeline.ts';
import { ZoomButtons } from './zoom-buttons.tsx';

export function TimelinePage() {
  const search = useSearch({ from: '/inside/timeline' });
  const navigate = useNavigate({ from: '/timeline' });
  // A named span starts where it was chosen. The view does not slide.
  const range = useMemo(
    () =>
      rangeOf(
        {
          ...(search.span && { span: search.span }),
          ...(search.since && { since: search.since }),
          ...(search.until && { until: search.until }),
        },
        serverNow(),
      ),
    [search.span, search.since, search.until],
  );
  const { known, error, refetch, columns, series, total, hasChanges, unasked, answers } = useTimeline(range);
  const rows = known === undefined ? [] : lanesOf(known, range);
  const show = ({ from, to }: Range) =>
    void navigate({
      search: { since: new Date(from).toISOString(), until: new Date(to).toISOString() },
      resetScroll: false,
    });
  const pick = (column: number) =>
    void navigate({
      search: (last) => ({ ...last, at: new Date(columns.starts[column]!).toISOString() }),
      replace: search.at !== undefined,
      resetScroll: false,
    });
  const at = columns.starts.findLastIndex((start) => start <= Date.parse(search.at ?? ''));
  const picked = at === -1 ? undefined : at;
  const columnRange = (column: number): Range => {
    const start = columns.starts[column] ?? range.from;
    return { from: start, to: start + columns.step };
  };
  const wordsOf = (column: number): string => {
    const found = series?.reduce((sum, { values }) => sum + (values[column] ?? 0), 0);
    const matched = found === undefined ? 'How much matched is not known yet' : counted(found, 'match', 'matches');
    const said = happeningsIn(rows, columnRange(column)).map(({ of, words }) => `${of}: ${words}`);
    return [`${rangeWords(columnRange(column))}: ${matched}.`, ...said].join(' ');
  };
  return (
    <Page
      title="Timeline"
      about={rangeWords(range)}
      actions={
        <Zoom
          range={range}
          span={search.span}
          onShow={show}
          onSpan={(span) => void navigate({ search: { span }, resetScroll: false })}
        />
      }
    >
      {known === undefined ? (
        <Card flush>
          {error === null ? <SkeletonRows rows={8} /> : <ErrorState error={error} onRetry={() => void refetch()} />}
        </Card>
      ) : (
        <div className="grid gap-4">
          <div>
            <p className="text-lg font-medium text-balance">
              {series !== undefined ? (
                verdictOf(known, rows, range, total)
              ) : answers.isUpdating ? (
                <Skeleton className="h-6 w-72" />
              ) : (
                'How much matched is not known.'
              )}
            </p>
            <AnswerNotes {...answers} />
          </div>
          <Card>
            <Legend series={series ?? []} />
            <Lanes
              rows={rows}
              range={range}
              columns={columns}
              series={series ?? []}
              picked={picked}
              wordsOf={wordsOf}
              onPick={pick}
              onZoom={show}
            />
            <p className="mt-2 text-xs text-faint">
              Drag over a time to zoom in. Click a moment, or use the arrow keys, to see what happened in it.
            </p>
          </Card>
          {picked !== undefined && (
            <MomentCard
              range={columnRange(picked)}
              shown={range}
              rows={rows}
              series={series}
              answers={answers}
              column={picked}
              onZoom={show}
            />
          )}
          <Card title="What stands out" flush>
            <HappeningList
              happenings={standingOut(rows, range)}
              empty={emptyWords(answers, 'Nothing else is on record for this time.')}
            />
            <Unasked {...unasked} rules={rulesWithoutLane(known, range)} />
            {!hasChanges && (
              <p className="border-t px-3 py-2 text-xs text-soft">
                Your key is read only, so changes of rules and what was muted before are not shown.
              </p>
            )}
          </Card>
        </div>
      )}
    </Page>
  );
}

/** What is not here yet, and what could not be loaded. */
function AnswerNotes({ isUpdating, failures }: Answers) {
  return (
    <div role="status" className="text-sm">
      {failures.map((words) => (
        <p key={words} className="text-bad">
          {words}
        </p>
      ))}
      {isUpdating && <p className="text-soft">Updating …</p>}
    </div>
  );
}

/** Which happenings are not shown, because there are too many. */
function Unasked({ webhooks, hasMore, rules }: ReturnType<typeof useTimeline>['unasked'] & { readonly rules: number }) {
  if (webhooks === 0 && rules === 0 && !hasMore.changes && !hasMore.alerts) return null;
  return (
    <div className="grid gap-0.5 border-t px-3 py-2 text-xs text-soft">
      {rules > 0 && (
        <p>
          {counted(rules, 'more rule')} to which less happened {rules === 1 ? 'is' : 'are'} not shown here. Zoom in to
          see {rules === 1 ? 'it' : 'them'}.
        </p>
      )}
      {webhooks > 0 && (
        <p>
          {counted(webhooks, 'more webhook')} {webhooks === 1 ? 'is' : 'are'} not shown here:{' '}
          <Link to="/connect" search={{ to: 'webhook' }} className="link">
            All webhooks
          </Link>
        </p>
      )}
      {hasMore.changes && <p>There were more changes in this time than are shown. Zoom in to see the others.</p>}
      {hasMore.alerts && (
        <p>Of surges and silences, only the newest {MOST_ALERTS} are looked at. There are older ones.</p>
      )}
    </div>
  );
}

function Legend({ series }: { series: NonNullable<ReturnType<typeof useTimeline>['series']> }) {
  return (
    <ul className="mb-3 flex flex-wrap gap-x-4 gap-y-1 text-xs text-soft">
      {series.map(({ values, ...one }) => (
        <li key={one.name} className="inline-flex min-h-6 items-center gap-1.5">
          <SeriesName {...one} />
          <span className="tabular text-ink">
            {figure(values.reduce<number>((sum, value) => sum + (value ?? 0), 0))}
          </span>
        </li>
      ))}
    </ul>
  );
}

interface ZoomProps {
  readonly range: Range;
  readonly span: string | undefined;
  onShow(range: Range): void;
  onSpan(span: Preset): void;
}

function Zoom({ range, span, onShow, onSpan }: ZoomProps) {
  const chosen = PRESETS.find(({ name }) => name === span)?.name;
  const night = presetRange('night', serverNow());
  const isNight = range.from === night.from && Math.abs(range.to - night.to) < 3_600_000;
  return (
    <>
      <Segments<Preset | ''>
        label="Time"
        value={chosen ?? (isNight ? 'night' : '')}
        options={PRESETS}
        onChange={(name) => name !== '' && onSpan(name)}
      />
      <ZoomButtons range={range} onShow={onShow} />
    </>
  );
}
