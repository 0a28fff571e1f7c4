/** Facts that only a platform with an upstream has: slots, progress of the stream, and cost. */
import { Fact, Facts } from '../ui/facts.tsx';
import { exactly, figure } from '../ui/moment.ts';
import { Time } from '../ui/time.tsx';
import { lasting, type PlatformStatus } from './health.ts';

export function UpstreamFacts({ platform }: { platform: PlatformStatus }) {
  const { slots, registered, complete_through, lag_seconds, last_event_at } = platform;
  return (
    <>
      {slots !== undefined && (
        <Fact name="Slots in use">
          {figure(slots.used)}
          {slots.limit !== null && <span className="text-faint"> of {figure(slots.limit)}</span>}
        </Fact>
      )}
      {registered !== undefined && <Fact name="Registrations">{figure(registered)}</Fact>}
      {complete_through && <Fact name="Complete through">{exactly(complete_through)}</Fact>}
      {typeof lag_seconds === 'number' && <Fact name="Lag">{lasting(lag_seconds * 1_000)}</Fact>}
      {last_event_at && (
        <Fact name="Last event">
          <Time at={last_event_at} />
        </Fact>
      )}
    </>
  );
}

/** The reads, matches and cost of this month, and the account's budget. */
export function Usage({ platform }: { platform: PlatformStatus }) {
  const { usage } = platform;
  if (usage === undefined) return null;
  return (
    <div>
      <h3 className="mb-1.5 text-xs text-faint">Usage in {usage.month}</h3>
      <Facts>
        <Fact name="Reads">{figure(usage.reads)}</Fact>
        <Fact name="Matches">{figure(usage.matches)}</Fact>
        <Fact name="Cost">
          {amount.format(usage.cost)}
          {usage.budget !== null && <span className="text-faint"> of {amount.format(usage.budget)}</span>}
        </Fact>
      </Facts>
    </div>
  );
}

/** No currency sign: the operator sets the price in a currency that Sluice does not know. */
const amount = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });
