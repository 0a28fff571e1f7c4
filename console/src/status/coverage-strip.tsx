/** The last 24 hours as a strip. Each gap is marked; its title says when it was, how long it lasted and why. */
import { cx } from '../ui/classes.ts';
import { counted, exactly } from '../ui/moment.ts';
import { causeWords } from '../words/coverage.ts';
import { type CoveredTime, endOf, type Gap, lasting } from './health.ts';

const DAY = 86_400_000;

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });

export interface CoverageStripProps {
  readonly gaps: readonly Gap[];
  readonly now: number;
  /** Nothing is known about the time before and after. */
  readonly covered: CoveredTime;
}

/** How complete the last 24 hours are, in words. */
export function coverageWords({ gaps, now, covered }: CoverageStripProps): string {
  const { start, end, shown, missing } = partsOf({ gaps, now, covered });
  return `${wordsOf(missing, { start, end, now })}${recovered(shown.length - missing.length)}`;
}

function partsOf({ gaps, now, covered: { from, through } }: CoverageStripProps) {
  const end = through === null ? now - DAY : Math.max(now - DAY, Math.min(now, Date.parse(through)));
  const start = from === null ? end : Math.min(end, Math.max(Date.parse(from), now - DAY));
  const shown = gaps.filter((gap) => endOf(gap, now) > now - DAY);
  return { start, end, shown, missing: shown.filter((gap) => !gap.recovered) };
}

export function CoverageStrip(props: CoverageStripProps) {
  const { now } = props;
  const { start, end, shown, missing } = partsOf(props);
  const words = coverageWords(props);
  return (
    <div className="grid gap-1">
      <div
        role="img"
        aria-label={`Last 24 hours: ${words}.`}
        className="relative h-1.5 overflow-hidden rounded-full bg-line"
      >
        <span
          className="absolute inset-y-0 bg-ok"
          style={{ right: `${(100 * (now - end)) / DAY}%`, width: `${(100 * (end - start)) / DAY}%` }}
        />
        {shown.map((gap) => (
          <GapMark key={`${gap.from} ${gap.cause}`} gap={gap} now={now} />
        ))}
      </div>
      <div className="flex justify-between text-xs text-faint">
        <span>24 hours ago</span>
        <span className={cx(missing.length > 0 && 'text-bad')}>{words}</span>
        <span>now</span>
      </div>
    </div>
  );
}

function wordsOf(missing: readonly Gap[], { start, end, now }: { start: number; end: number; now: number }): string {
  if (end <= now - DAY)
    return missing.length === 0 ? 'not known if anything is missing' : counted(missing.length, 'gap');
  const open = missing.some(({ to }) => to === null) ? ', one is open' : '';
  const gaps = missing.length === 0 ? 'no gaps' : `${counted(missing.length, 'gap')}${open}`;
  return end > start && start > now - DAY ? `${gaps} since ${clock.format(start)}` : gaps;
}

/** The least share of the strip that a gap takes: five minutes. */
const LEAST = 0.35;

/** The place of a gap, in percent from the left. A short gap at the end is drawn inside the strip, not beyond it. */
export function placeOf(gap: Gap, now: number): { left: number; width: number } {
  const from = Math.max(Date.parse(gap.from), now - DAY);
  const to = Math.min(endOf(gap, now), now);
  const width = Math.max(LEAST, (100 * (to - from)) / DAY);
  return { left: Math.min(100 - width, (100 * (from - now + DAY)) / DAY), width };
}

function GapMark({ gap, now }: { gap: Gap; now: number }) {
  const { left, width } = placeOf(gap, now);
  const outcome = gap.recovered ? 'Recovered' : 'Missing';
  const words = `${outcome}: ${exactly(gap.from)}, ${lasting(endOf(gap, now) - Date.parse(gap.from))}. ${causeWords(gap.cause)}`;
  return (
    <span
      title={words}
      className={cx('absolute inset-y-0', gap.recovered ? 'bg-warn' : 'bg-bad')}
      style={{ left: `${left}%`, width: `${width}%` }}
    />
  );
}

const recovered = (count: number): string => (count === 0 ? '' : `, ${counted(count, 'gap')} recovered`);
