/** Matches as they arrive, and all stored ones. The filter and the open match are in the address. */
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import type { Match } from '../data/queries.ts';
import { type DetailTab, detailTabOf } from './detail.tsx';
import { Explore } from './explore.tsx';
import { type FilterChange, isTypedOn, type MatchesSearch } from './filter.ts';

export function MatchesPage() {
  const { tab, ...filter } = useSearch({ from: '/inside/matches/{-$matchId}' });
  const search: MatchesSearch = filter;
  const { matchId } = useParams({ from: '/inside/matches/{-$matchId}' });
  const navigate = useNavigate();
  const change = useCallback(
    // Back undoes a filter, and brings each search back. While a text is typed on, the address changes in place.
    (part: FilterChange) =>
      void navigate({
        to: '/matches/{-$matchId}',
        params: (last) => last,
        search: (last) => given({ ...last, ...part }),
        replace: 'text' in part && isTypedOn(search.text, part.text),
        resetScroll: false,
      }),
    [navigate, search.text],
  );
  const open = useCallback(
    // Back closes a match. Moving from match to match is one step.
    (match: Match | undefined, shown?: DetailTab) =>
      void navigate({
        to: '/matches/{-$matchId}',
        params: { matchId: match?.id },
        search: (last) => given({ ...last, tab: match === undefined ? undefined : inAddress(shown ?? last.tab) }),
        replace: matchId !== undefined && match !== undefined,
        resetScroll: false,
      }),
    [navigate, matchId],
  );
  const show = useCallback(
    (shown: DetailTab) =>
      void navigate({
        to: '/matches/{-$matchId}',
        params: (last) => last,
        search: (last) => given({ ...last, tab: inAddress(shown) }),
        replace: true,
        resetScroll: false,
      }),
    [navigate],
  );
  return (
    <Explore
      title="Matches"
      search={search}
      openId={matchId}
      tab={detailTabOf(tab)}
      onChange={change}
      onTab={show}
      onOpen={open}
    />
  );
}

/** The first tab needs no word. */
const inAddress = (tab: string | undefined): string | undefined => (tab === 'event' ? undefined : tab);

/** The search without its undefined values. */
const given = (search: Record<string, string | undefined>): MatchesSearch =>
  Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined));
