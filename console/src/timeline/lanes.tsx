/**
 * Things side by side over one axis: the volume on top, and a lane for each platform, source, rule and webhook below. A drag
 * zooms in, a click picks a moment, and so do the arrow keys. What is picked is said in words, seen and read aloud alike.
 */
import { type KeyboardEvent, type PointerEvent, useRef, useState } from 'react';
import { type Series, SWATCHES } from '../chart/chart.tsx';
import { cx } from '../ui/classes.ts';
import { figure } from '../ui/moment.ts';
import type { Columns, Range } from './range.ts';

type SpanTone = 'ok' | 'warn' | 'bad' | 'note';

export interface TimelineSpan {
  readonly from: number;
  readonly to: number;
  readonly tone: SpanTone;
  readonly words: string;
  /** The address of a page that says more of it. */
  readonly href?: string;
}

export interface TimelineRow {
  readonly name: string;
  /** In the order in which they are drawn: later ones lie over earlier ones. */
  readonly spans: readonly TimelineSpan[];
  /** The row in one sentence. */
  readonly words: string;
}

const TONES: Readonly<Record<SpanTone, string>> = { ok: 'bg-ok/70', warn: 'bg-warn', bad: 'bg-bad', note: 'bg-accent' };

/** The least share of the row that a span takes, in percent, so that it can be seen. */
const LEAST = 0.35;

/** The place of a span, in percent from the left. A short one at the end is drawn inside the row, not beyond it. */
export function spanPlace({ from, to }: Range, start: number, end: number) {
  const width = Math.max(LEAST, (100 * (Math.min(to, end) - Math.max(from, start))) / (end - start));
  return { left: Math.min(100 - width, (100 * (Math.max(from, start) - start)) / (end - start)), width };
}

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

export function Lanes({ rows, range, columns, series, ...overlay }: LanesProps) {
  return (
    <div className="grid gap-x-3 sm:grid-cols-[10rem_minmax(0,1fr)]">
      <div className="hidden content-start gap-y-1.5 text-xs text-soft sm:grid">
        <span className={cx(VOLUME, 'text-right')}>Matches</span>
        {rows.map(({ name }) => (
          <span key={name} className={cx(LANE, 'truncate text-right leading-5')} title={name}>
            {name}
          </span>
        ))}
      </div>
      <div className="min-w-0">
        <div className="relative grid content-start gap-y-1.5">
          <Volume series={series} range={range} columns={columns} />
          {rows.map((row) => (
            <div key={row.name}>
              {/* Where there is no room beside the lane, its name stands above it. */}
              <span className="block truncate text-xs text-soft sm:hidden">{row.name}</span>
              <Lane row={row} range={range} />
            </div>
          ))}
          <Overlay range={range} columns={columns} {...overlay} />
        </div>
        <Axis range={range} />
      </div>
    </div>
  );
}

function Lane({ row: { name, spans, words }, range: { from, to } }: { row: TimelineRow; range: Range }) {
  const shown = spans.filter((span) => span.to >= from && span.from < to);
  return (
    <div
      role="img"
      aria-label={`${name}: ${words}`}
      className={cx(LANE, 'relative overflow-hidden rounded-sm bg-hover')}
    >
      {shown.length === 0 && <span className="absolute inset-0 px-2 text-xs leading-5 text-soft">{words}</span>}
      {shown.map((span) => {
        const { left, width } = spanPlace(span, from, to);
        return (
          <span
            key={`${span.from} ${span.words}`}
            className={cx('absolute inset-y-0', TONES[span.tone])}
            style={{ left: `${left}%`, width: `${width}%` }}
          />
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

/** A drag of fewer pixels is a click. */
const CLICK = 5;

type OverlayProps = Pick<LanesProps, 'range' | 'columns' | 'picked' | 'wordsOf' | 'onPick' | 'onZoom'>;

function Overlay({ range: { from, to }, columns: { starts, step }, picked, wordsOf, onPick, onZoom }: OverlayProps) {
  const box = useRef<HTMLDivElement>(null);
  const [drag, setDrag] = useState<{ start: number; end: number }>();
  const share = ({ clientX }: PointerEvent) => {
    const { left, width } = box.current!.getBoundingClientRect();
    return Math.max(0, Math.min(1, (clientX - left) / width));
  };
  const timeOf = (at: number) => from + at * (to - from);
  const columnAt = (time: number) => Math.max(0, Math.min(starts.length - 1, Math.floor((time - starts[0]!) / step)));
  const end = () => {
    if (drag === undefined) return;
    setDrag(undefined);
    const [left, right] = [Math.min(drag.start, drag.end), Math.max(drag.start, drag.end)];
    if ((right - left) * box.current!.clientWidth < CLICK) onPick(columnAt(timeOf(drag.end)));
    else onZoom({ from: Math.round(timeOf(left)), to: Math.round(timeOf(right)) });
  };
  const onKey = (event: KeyboardEvent) => {
    const at = picked ?? starts.length;
    const next = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: starts.length - 1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    onPick(Math.max(0, Math.min(starts.length - 1, next)));
  };
  const shown = picked ?? starts.length - 1;
  return (
    <div
      ref={box}
      role="slider"
      tabIndex={0}
      aria-label="Moment"
      aria-valuemin={0}
      aria-valuemax={Math.max(0, starts.length - 1)}
      aria-valuenow={shown}
      aria-valuetext={wordsOf(shown)}
      onKeyDown={onKey}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        setDrag({ start: share(event), end: share(event) });
      }}
      onPointerMove={(event) => drag !== undefined && setDrag({ ...drag, end: share(event) })}
      onPointerUp={end}
      onPointerCancel={() => setDrag(undefined)}
      className="absolute inset-0 cursor-crosshair touch-pan-y outline-offset-2"
    >
      {picked !== undefined && starts[picked] !== undefined && (
        <span
          className="absolute inset-y-0 border-x border-accent bg-accent/10"
          style={{
            left: `${Math.max(0, (100 * (starts[picked] - from)) / (to - from))}%`,
            width: `max(3px, ${(100 * step) / (to - from)}%)`,
          }}
        />
      )}
      {drag !== undefined && (
        <span
          className="absolute inset-y-0 bg-accent/20"
          style={{
            left: `${100 * Math.min(drag.start, drag.end)}%`,
            width: `${100 * Math.abs(drag.end - drag.start)}%`,
          }}
        />
      )}
    </div>
  );
}

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const date = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const LABELS = [0, 0.25, 0.5, 0.75, 1];
const TWO_DAYS = 2 * 86_400_000;

function Axis({ range: { from, to } }: { range: Range }) {
  const format = to - from > TWO_DAYS ? date : clock;
  return (
    <div aria-hidden className="tabular mt-1.5 flex justify-between text-xs text-faint">
      {LABELS.map((share) => (
        <span key={share} className={cx(share !== 0 && share !== 0.5 && share !== 1 && 'max-sm:hidden')}>
          {format.format(from + share * (to - from))}
        </span>
      ))}
    </div>
  );
}
