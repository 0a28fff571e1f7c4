/** The four most important numbers. */
import type { Rule, Status } from '../data/queries.ts';
import { Figure } from '../ui/figure.tsx';
import { Meter } from '../ui/meter.tsx';
import { figure } from '../ui/moment.ts';
import { Skeleton } from '../ui/skeleton.tsx';
import { sumOf } from './traffic.ts';

export function Figures({ status, rules }: { status: Status | undefined; rules: readonly Rule[] | undefined }) {
  const instance = status?.instance;
  const paused = rules?.filter((rule) => rule.paused).length ?? 0;
  return (
    <dl className="grid grid-cols-2 gap-3 lg:grid-cols-4">
      {(status === undefined || instance !== undefined) && (
        <>
          <Figure
            name="Events in the last minute"
            value={number(sumOf(instance, 'events_per_minute'))}
            note="all platforms"
          />
          <Figure
            name="Matches in the last minute"
            value={number(sumOf(instance, 'matches_per_minute'))}
            note="all accounts"
          />
        </>
      )}
      <Figure
        name="Rules"
        value={number(rules?.length)}
        note={paused === 0 ? 'none paused' : `${figure(paused)} paused`}
      />
      <Slots status={status} />
    </dl>
  );
}

const number = (value: number | undefined) => (value === undefined ? <Skeleton className="h-6 w-16" /> : figure(value));

/** How many of the limited rules on X are used. */
function Slots({ status }: { status: Status | undefined }) {
  const x = status?.platforms.x;
  const limit = x?.rule_limit ?? null;
  return (
    <Figure
      name="Slots on X"
      value={
        x === undefined ? (
          <Skeleton className="h-6 w-16" />
        ) : (
          <>
            {figure(x.rules)}
            {limit !== null && <span className="text-base font-normal text-faint"> of {figure(limit)}</span>}
          </>
        )
      }
      note={limit === null ? undefined : <Meter label="Slots used on X" value={x?.rules ?? 0} limit={limit} />}
    />
  );
}
