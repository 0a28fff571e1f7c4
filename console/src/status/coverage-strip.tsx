/** The last 24 hours as a strip. Each gap is marked; its title says when it was, how long it lasted and why. */
import { cx } from '../ui/classes.ts';
import { counted, exactly } from '../ui/moment.ts';
import { type CoveredTime, endOf, type Gap, lasting } from './health.ts';

const DAY = 86_400_000;

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });

export interface CoverageStripProps {
  readonly gaps: readonly Gap[];
  readonly now: number;
  /** Nothing is known about the time before and after. */
  readonly covered: CoveredTime;
}

export function CoverageStrip({ gaps, now, covered: { from, through } }: CoverageStripProps) {
  const end = through === null ? now - DAY : Math.max(now - DAY, Math.min(now, Date.parse(through)));
  const start = from === null ? end : Math.min(end, Math.max(Date.parse(from), now - DAY));
  const shown = gaps.filter((gap) => endOf(gap, now) > now - DAY);
  const missing = shown.filter(({ recovered }) => !recovered);
  return (
    <div className="grid gap-1">
      <div
        role="img"
        aria-label={summaryOf(shown, missing, now)}
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
        <span>
          {end <= now - DAY ? 'nothing is known' : missing.length === 0 ? 'no gaps' : counted(missing.length, 'gap')}
          {end > start && start > now - DAY && ` since ${clock.format(start)}`}
        </span>
        <span>now</span>
      </div>
    </div>
  );
}

function GapMark({ gap, now }: { gap: Gap; now: number }) {
  const from = Math.max(Date.parse(gap.from), now - DAY);
  const to = Math.min(endOf(gap, now), now);
  const words = `${gap.recovered ? 'Recovered' : 'Missing'}: ${exactly(gap.from)}, ${lasting(to - from)}, ${gap.cause}`;
  return (
    <span
      title={words}
      className={cx('absolute inset-y-0 min-w-[3px]', gap.recovered ? 'bg-warn' : 'bg-bad')}
      style={{ left: `${(100 * (from - now + DAY)) / DAY}%`, width: `${(100 * (to - from)) / DAY}%` }}
    />
  );
}

function summaryOf(gaps: readonly Gap[], missing: readonly Gap[], now: number): string {
  if (gaps.length === 0) return 'No gaps in the last 24 hours.';
  const total = missing.reduce((sum, gap) => sum + endOf(gap, now) - Date.parse(gap.from), 0);
  const good = gaps.length - missing.length;
  return `${counted(missing.length, 'gap')} in the last 24 hours, ${lasting(total)} missing; ${counted(good, 'gap')} recovered.`;
}
