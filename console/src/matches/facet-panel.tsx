/** The facets of what is filtered, with counts. Choosing a value filters by it; choosing it again takes it back. */

import { useFacets } from '../data/explore-queries.ts';
import type { FeedFilter } from '../data/feed-filter.ts';
import { Skeleton } from '../ui/skeleton.tsx';
import { FacetLists } from './facet-lists.tsx';
import { FACET_NAMES } from './facets.ts';
import { type FilterChange, isFiltered, type MatchesSearch } from './filter.ts';

export interface FacetPanelProps {
  readonly search: MatchesSearch;
  readonly filter: FeedFilter;
  /** The list beside it is of stories: they are not repeated. */
  readonly hasStories: boolean;
  onChange(change: FilterChange): void;
}

export function FacetPanel({ search, filter, hasStories, onChange }: FacetPanelProps) {
  const { data, error, isPlaceholderData } = useFacets(filter);
  if (data?.counted === 0 && !isFiltered(search)) return null;
  return (
    <section aria-label="Filters" className="min-w-0 rounded-lg border bg-surface">
      {data === undefined ? (
        <div className="grid gap-2 p-3">
          {error !== null ? (
            <p className="text-bad">{error.message}</p>
          ) : (
            FACET_NAMES.map((name) => <Skeleton key={name} className="h-4 w-full" />)
          )}
        </div>
      ) : (
        <FacetLists
          search={search}
          answer={data}
          hasStories={hasStories}
          isOld={isPlaceholderData}
          onChange={onChange}
        />
      )}
    </section>
  );
}
