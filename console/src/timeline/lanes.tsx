/** Things side by side over one axis: the volume on top, and a lane for each platform, source, rule and webhook below. */
import { type Series, SWATCHES } from '../chart/chart.tsx';
import { cx } from '../ui/classes.ts';
import { figure } from '../ui/moment.ts';
import { useMedia, WIDE } from '../ui/use-media.ts';
import { MomentSlider, usePointing } from './moment-slider.tsx';
import { type Columns, type Range, spanPlace, ticksOf } from './range.ts';

type SpanTone = 'ok' | 'warn' | 'bad' | 'note';

export interface TimelineSpan {
  readonly from: number;
  readonly to: number;
  readonly tone: SpanTone;
  readonly words: string;
  /** The address of a page that says more of it. */
  readonly href?: string;
  /** Of a webhook: its attempts in this time. */
  readonly attempts?: { readonly delivered: number; readonly failed: number };
}

export interface TimelineRow {
  readonly name: string;
  /** In the order in which they are drawn: later ones lie over earlier ones. */
  readonly spans: readonly TimelineSpan[];
  /** The row in one sentence. */
  readonly words: string;
}

const TONES: Readonly<Record<SpanTone, string>> = {
  ok: 'bg-ok/70',
  warn: 'bg-warn/70',
  bad: 'bg-bad',
  note: 'bg-accent',
};

export interface LanesProps {
  readonly rows: readonly TimelineRow[];
  readonly range: Range;
  readonly columns: Columns;
  readonly series: readonly Series[];
  /** The picked column. */
  readonly picked: number | undefined;
  /** Says what a column holds. */
  wordsOf(column: number): string;
  onPick(column: number): void;
  /** Zooms to a dragged span. */
  onZoom(range: Range): void;
}

const VOLUME = 'h-28';
const LANE = 'h-5';

export function Lanes({ rows, range, columns, series, picked, wordsOf, onPick, onZoom }: LanesProps) {
  const { place, drag, ...pointing } = usePointing({ range, columns, onPick, onZoom });
  const isEmpty = series.every(({ values }) => values.every((value) => (value ?? 0) === 0));
  return (
    <div className="grid gap-x-3 sm:grid-cols-[10rem_minmax(0,1fr)]">
      <div className="hidden content-start gap-y-1.5 text-xs text-soft sm:grid">
        <span className={cx(isEmpty ? LANE : VOLUME, 'text-right leading-5')}>Matches</span>
        {rows.map(({ name }) => (
          <span key={name} className={cx(LANE, 'truncate text-right leading-5')} title={name}>
            {name}
          </span>
        ))}
      </div>
      <div className="min-w-0">
        <div
          ref={place}
          className="relative grid cursor-crosshair touch-pan-y content-start gap-y-1.5 select-none"
          {...pointing}
        >
          {isEmpty ? (
            <p className={cx(LANE, 'rounded-sm bg-hover px-2 text-xs leading-5 text-soft')}>No matches.</p>
          ) : (
            <Volume series={series} range={range} columns={columns} />
          )}
          {rows.map((row) => (
            <div key={row.name}>
              {/* Where there is no room beside the lane, its name stands above it. */}
              <span className="block truncate text-xs text-soft sm:hidden">{row.name}</span>
              <Lane row={row} range={range} />
            </div>
          ))}
          <MomentSlider range={range} columns={columns} picked={picked} drag={drag} wordsOf={wordsOf} onPick={onPick} />
        </div>
        <Axis range={range} />
      </div>
    </div>
  );
}

/** The keyboard reaches the same by the moment and by the sentences below: a lane may have hundreds of spans. */
function Lane({ row: { name, spans, words }, range: { from, to } }: { row: TimelineRow; range: Range }) {
  const shown = spans.filter((span) => span.to >= from && span.from < to);
  return (
    <div
      role="group"
      aria-label={`${name}: ${words}`}
      className={cx(LANE, 'relative overflow-hidden rounded-sm bg-hover')}
    >
      {shown.length === 0 && <span className="absolute inset-0 px-2 text-xs leading-5 text-soft">{words}</span>}
      {shown.map((span) => {
        const { left, width } = spanPlace(span, from, to);
        const looks = {
          title: span.words,
          className: cx('absolute inset-y-0', TONES[span.tone]),
          style: { left: `${left}%`, width: `${width}%` },
        };
        const key = `${span.from} ${span.words}`;
        return span.href === undefined ? (
          <span key={key} {...looks} />
        ) : (
          <a key={key} {...looks} href={span.href} tabIndex={-1} draggable={false} aria-label={span.words} />
        );
      })}
    </div>
  );
}

/** Columns that stand on each other, in the colours of their rules. */
function Volume({ series, range: { from, to }, columns }: Pick<LanesProps, 'series' | 'range' | 'columns'>) {
  const totals = columns.starts.map((_, at) => series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0));
  const most = Math.max(1, ...totals);
  const width = (100 * columns.step) / (to - from);
  return (
    <div className={cx(VOLUME, 'relative overflow-hidden border-b')}>
      <span aria-hidden className="absolute top-0 left-0 text-xs text-faint">
        {totals.some((total) => total > 0) && figure(most)}
      </span>
      {columns.starts.map((start, at) =>
        totals[at] === 0 ? null : (
          <span
            key={start}
            className="absolute bottom-0 flex flex-col-reverse pr-px"
            style={{
              left: `${(100 * (start - from)) / (to - from)}%`,
              width: `${width}%`,
              height: `${(85 * totals[at]!) / most}%`,
            }}
          >
            {series.map(({ name, colour, values }) => (
              <span
                key={name}
                className={SWATCHES[colour]}
                style={{ height: `${(100 * (values[at] ?? 0)) / totals[at]!}%` }}
              />
            ))}
          </span>
        ),
      )}
    </div>
  );
}

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const date = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });

const isMidnight = (at: number): boolean => new Date(at).getHours() === 0 && new Date(at).getMinutes() === 0;

/** At round times. A day begins with its date. */
function Axis({ range }: { range: Range }) {
  const most = useMedia(WIDE) ? 10 : 5;
  return (
    <div aria-hidden className="tabular relative mt-1.5 h-4 text-xs text-faint">
      {ticksOf(range, most).map((at) => (
        <span
          key={at}
          className="absolute -translate-x-1/2 whitespace-nowrap"
          style={{ left: `${(100 * (at - range.from)) / (range.to - range.from)}%` }}
        >
          {(isMidnight(at) ? date : clock).format(at)}
        </span>
      ))}
    </div>
  );
}
