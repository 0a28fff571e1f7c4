/** Facts that only a platform with an upstream has: slots, progress of the stream, and cost. */
import { cx } from '../ui/classes.ts';
import { Fact, Facts } from '../ui/facts.tsx';
import { Meter } from '../ui/meter.tsx';
import { exactly, figure } from '../ui/moment.ts';
import { Time } from '../ui/time.tsx';
import { lasting, type PlatformStatus } from './health.ts';

export function UpstreamFacts({ platform }: { platform: PlatformStatus }) {
  const { slots, registered, complete_through, last_event_at } = platform;
  return (
    <>
      {slots !== undefined && (
        <Fact name="Rules that the platform holds for this key">
          {figure(slots.used)}
          {slots.limit !== null && <span className="text-faint"> of {figure(slots.limit)}</span>}
        </Fact>
      )}
      {registered !== undefined && <Fact name="Of those, put there by Sluice">{figure(registered)}</Fact>}
      {complete_through && <Fact name="Complete through">{exactly(complete_through)}</Fact>}
      {isOwed(platform) && <Fact name="Behind by">{lasting(platform.lag_seconds! * 1_000)}</Fact>}
      {last_event_at && (
        <Fact name="Last event">
          <Time at={last_event_at} />
        </Fact>
      )}
    </>
  );
}

/** Only a stream or a source that should bring something can be behind. Pushed events come when somebody pushes them. */
const isOwed = ({ shape, sources, lag_seconds }: PlatformStatus): boolean =>
  typeof lag_seconds === 'number' && (shape === 'upstream' || sources.length > 0);

/** The reads, matches and cost of this month, and the account's budget. */
export function Usage({ platform, now }: { platform: PlatformStatus; now: number }) {
  const { usage } = platform;
  if (usage === undefined) return null;
  const spent = usage.budget !== null && usage.cost >= usage.budget;
  const projected = projectedCost(usage, now);
  return (
    <div>
      <h3 className="mb-1.5 text-xs text-faint">Usage in {usage.month}</h3>
      <Facts>
        <Fact name="Reads">{figure(usage.reads)}</Fact>
        <Fact name="Matches">{figure(usage.matches)}</Fact>
        <Fact name="Cost">
          <span className={cx(spent && 'text-bad')}>{money(usage, usage.cost)}</span>
          {usage.budget !== null && <span className="text-faint"> of {money(usage, usage.budget)}</span>}
          {usage.budget !== null && (
            <Meter label="Budget used" value={usage.cost} limit={usage.budget} projected={projected} />
          )}
        </Fact>
        {projected !== undefined && (
          <Fact name="At the month's end, at this rate">
            <span className={cx(usage.budget !== null && projected > usage.budget && 'text-warn')}>
              {money(usage, projected)}
            </span>
            {usage.budget !== null && projected > usage.budget && !spent && (
              <span className="block text-xs text-warn">
                The budget is spent by {spentBy(usage, now)} at this rate.
              </span>
            )}
          </Fact>
        )}
      </Facts>
      {spent && (
        <p className="mt-2 text-bad">
          The budget of this month is used up. Rules of this account are paused on this platform until the next month
          begins.
        </p>
      )}
    </div>
  );
}

/** The cost of the month if it goes on like this. It is unknown in the first day, and where nothing costs anything. */
export function projectedCost({ cost, month }: { cost: number; month: string }, now: number): number | undefined {
  const start = Date.parse(`${month}-01T00:00:00Z`);
  const next = new Date(start);
  next.setUTCMonth(next.getUTCMonth() + 1);
  const elapsed = now - start;
  return cost === 0 || elapsed < DAY ? undefined : (cost * (next.getTime() - start)) / elapsed;
}

const DAY = 86_400_000;
const dayOfMonth = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'long', timeZone: 'UTC' });

/** The day on which a budget is spent if it goes on like this. Months are counted in UTC. */
export function spentBy({ cost, budget, month }: { cost: number; budget: number | null; month: string }, now: number) {
  const start = Date.parse(`${month}-01T00:00:00Z`);
  return dayOfMonth.format(start + ((now - start) * (budget ?? 0)) / cost);
}

/** No currency sign: the operator sets the price in a currency that Sluice does not know. */
export const money = ({ currency = '' }: { currency?: string | undefined }, value: number): string =>
  `${currency} ${amount.format(value)}`.trim();

const amount = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });
