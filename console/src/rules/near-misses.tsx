/** For a rule that matches no recent event: the clauses that alone kept events from matching, the worst first. */
import { useQuery } from '@tanstack/react-query';
import { client } from '../data/client.ts';
import type { Platform } from '../data/queries.ts';
import { figure } from '../ui/moment.ts';
import { type Flags, optionsOf } from './draft.ts';

const SHOWN = 5;

export interface NearMissesProps {
  readonly platform: Platform;
  readonly value: string;
  readonly flags: Flags;
}

export function NearMisses({ platform, value, flags }: NearMissesProps) {
  const { data } = useQuery({
    queryKey: ['near-misses', platform, value, flags],
    queryFn: ({ signal }) =>
      client.rules.nearMisses(
        { platform, value, limit: 0, ...optionsOf({ texts: { [platform]: value }, flags }) },
        { signal },
      ),
  });
  const missed = (data?.clauses ?? []).filter((clause) => clause.missed > 0);
  // The misses of a rule of one clause are all other events: that says nothing.
  if (data === undefined || data.clauses.length < 2 || missed.length === 0) return null;
  return (
    <section aria-label="Near misses" className="border-t px-3 py-2 text-sm">
      <p className="text-soft">Recent events that match everything but one part of the rule:</p>
      <ul className="mt-1 space-y-1">
        {missed
          .toSorted((one, other) => other.missed - one.missed)
          .slice(0, SHOWN)
          .map(({ text, missed: count, span }) => (
            <li key={span.start} className="flex justify-between gap-3">
              <code className="min-w-0 truncate">{text}</code>
              <span className="tabular text-faint">{figure(count)}</span>
            </li>
          ))}
      </ul>
    </section>
  );
}
