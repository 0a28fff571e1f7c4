/** Things side by side over the same time: one row each, coloured where something is known. Screen readers get each row in words. */
import { cx } from '../ui/classes.ts';
import { exactly } from '../ui/moment.ts';

type SpanTone = 'ok' | 'warn' | 'bad';

export interface TimelineSpan {
  readonly from: number;
  readonly to: number;
  readonly tone: SpanTone;
  readonly words: string;
}

export interface TimelineRow {
  readonly name: string;
  /** In the order in which they are drawn: later ones lie over earlier ones. */
  readonly spans: readonly TimelineSpan[];
  /** The row in one sentence. */
  readonly words: string;
}

const TONES: Readonly<Record<SpanTone, string>> = { ok: 'bg-ok', warn: 'bg-warn', bad: 'bg-bad' };

/** The least share of the row that a span takes, in percent, so that it can be seen. */
const LEAST = 0.35;

/** In percent from the left. A short span at the end is drawn inside the row, not beyond it. */
export function spanPlace({ from, to }: TimelineSpan, start: number, end: number): { left: number; width: number } {
  const width = Math.max(LEAST, (100 * (Math.min(to, end) - Math.max(from, start))) / (end - start));
  return { left: Math.min(100 - width, (100 * (Math.max(from, start) - start)) / (end - start)), width };
}

export interface TimelineProps {
  readonly rows: readonly TimelineRow[];
  readonly from: number;
  readonly to: number;
  /** Written below, evenly from left to right. */
  readonly labels: readonly string[];
}

export function Timeline({ rows, from, to, labels }: TimelineProps) {
  return (
    <div className="grid grid-cols-[minmax(5rem,auto)_minmax(0,1fr)] items-center gap-x-3 gap-y-2">
      {rows.map(({ name, spans, words }) => (
        <div key={name} className="contents">
          <span className="max-w-40 truncate text-xs text-soft" title={name}>
            {name}
          </span>
          <div role="img" aria-label={`${name}: ${words}`} className="relative h-3 overflow-hidden rounded-sm bg-line">
            {spans
              .filter((span) => span.to > from && span.from < to)
              .map((span) => {
                const { left, width } = spanPlace(span, from, to);
                return (
                  <span
                    key={`${span.from} ${span.words}`}
                    title={`${exactly(new Date(span.from).toISOString())}: ${span.words}`}
                    className={cx('absolute inset-y-0', TONES[span.tone])}
                    style={{ left: `${left}%`, width: `${width}%` }}
                  />
                );
              })}
          </div>
        </div>
      ))}
      <span />
      <div aria-hidden className="flex justify-between text-xs text-faint">
        {labels.map((label) => (
          <span key={label}>{label}</span>
        ))}
      </div>
    </div>
  );
}
