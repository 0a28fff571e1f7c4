/** Counts what each exclusion would take of the newest matches of the rule, the least first. */
import { useQuery } from '@tanstack/react-query';
import { client } from '../data/client.ts';
import type { Match } from '../data/queries.ts';
import { readEvent } from '../event/reading.ts';
import { type Exclusion, hasExcluded } from './exclusion.ts';

const NEWEST = 200;

export interface Dropped {
  readonly exclusion: Exclusion;
  readonly dropped: number;
  /** The number of matches that were looked at; 0 while it is not known. */
  readonly of: number;
}

export function useDropped({ rule_id, platform }: Match, offered: readonly Exclusion[]): Dropped[] {
  const { data: matches = [] } = useQuery({
    queryKey: ['matches', 'exclusions', rule_id, platform],
    queryFn: ({ signal }) => client.matches.list({ rule_id, platform, limit: NEWEST }, { signal }),
    select: (page) => page.matches,
    staleTime: 60_000,
  });
  const events = matches.map((match) => readEvent(match.platform, match.payload, []));
  const counted = offered
    .map((exclusion) => ({
      exclusion,
      dropped: events.filter((event) => hasExcluded(event, exclusion)).length,
      of: events.length,
    }))
    .toSorted((one, other) => one.dropped - other.dropped);
  // Whatever takes every match would end the rule: it is offered only where there is nothing else.
  const sparing = counted.filter(({ dropped, of }) => dropped < of);
  return sparing.length > 0 ? sparing : counted;
}
