/** Saved views: the filter as it stands in the address. Pure. */
import type { MatchesSearch } from './filter.ts';

/** Without the `#/matches?` before it. The same filter gives the same text, in whatever order it was chosen. */
export function queryOf(search: MatchesSearch): string {
  const given = Object.entries(search).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return new URLSearchParams(given.toSorted(([one], [other]) => one.localeCompare(other))).toString();
}

/** Names that the page does not know are dropped by its route. */
export const searchOf = (query: string): MatchesSearch => Object.fromEntries(new URLSearchParams(query));

export const addressOf = (server: string, query: string): string =>
  `${server}#/matches${query === '' ? '' : `?${query}`}`;

/** The view that is shown now, if it is a saved one. */
export const viewShown = <View extends { readonly query: string }>(
  views: readonly View[],
  search: MatchesSearch,
): View | undefined => views.find(({ query }) => queryOf(searchOf(query)) === queryOf(search));
