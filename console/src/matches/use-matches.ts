/** The feed of a filter, one row an event, with what the chart asks for. */
import { useMemo } from 'react';
import { useFeed } from '../data/use-feed.ts';
import { serverNow } from '../ui/server-now.ts';
import { byEvent } from './by-event.ts';
import { countsInput, feedFilter, type MatchesSearch } from './filter.ts';

export function useMatches(search: MatchesSearch) {
  const wanted = JSON.stringify(search);
  // A span such as "last hour" starts at a fixed time: the hour before it was chosen. The view does not slide.
  const [filter, counts] = useMemo(() => {
    const now = serverNow();
    const chosen = JSON.parse(wanted) as MatchesSearch;
    return [feedFilter(chosen, now), countsInput(chosen, now)] as const;
  }, [wanted]);
  const { view, feed } = useFeed(filter);
  const rows = useMemo(() => byEvent(view.matches), [view.matches]);
  return { filter, counts, view, feed, rows };
}
