/** The counted values of each facet, as buttons. */
import { Check } from 'lucide-react';
import type { Facets } from '../data/queries.ts';
import { cx } from '../ui/classes.ts';
import { counted, exactly, figure } from '../ui/moment.ts';
import {
  FACET_LABELS,
  FACET_NAMES,
  type FacetName,
  type FacetRow,
  facetChange,
  facetRows,
  facetWords,
} from './facets.ts';
import type { FilterChange, MatchesSearch } from './filter.ts';

export interface FacetListsProps {
  readonly search: MatchesSearch;
  readonly answer: Facets;
  readonly hasStories: boolean;
  /** The counts are of the filter before, while those of the new one are on their way. */
  readonly isOld: boolean;
  onChange(change: FilterChange): void;
}

export function FacetLists({ search, answer, hasStories, isOld, onChange }: FacetListsProps) {
  const names = FACET_NAMES.filter((name) => name !== 'story' || !hasStories);
  const lists = names.map((name) => ({ name, rows: facetRows(answer.facets[name], search[name]) }));
  return (
    <div aria-busy={isOld} className={cx('divide-y', isOld && 'grayscale')}>
      <p className="px-3 py-2 text-xs text-soft">{basisOf(answer)}</p>
      <div className="grid gap-x-4 sm:grid-cols-2 md:grid-cols-3 xl:grid-cols-1">
        {lists.map(
          ({ name, rows }) => rows.length > 0 && <FacetList key={name} name={name} rows={rows} onChange={onChange} />,
        )}
      </div>
    </div>
  );
}

/** Says what the counts are of. Where not all matches were counted, it says since when they were. */
export function basisOf({ counted: count, complete, counted_from }: Facets): string {
  const matches = counted(count, 'match', 'matches');
  if (complete) return `The numbers count all ${matches}.`;
  return counted_from === null
    ? `The numbers count the newest ${matches}. There are more.`
    : `The numbers count the newest ${matches}, from ${exactly(counted_from)} on. Older ones are not counted.`;
}

interface FacetListProps {
  readonly name: FacetName;
  readonly rows: readonly FacetRow[];
  onChange(change: FilterChange): void;
}

function FacetList({ name, rows, onChange }: FacetListProps) {
  const most = Math.max(1, ...rows.map(({ matches }) => matches ?? 0));
  return (
    <div className="min-w-0 px-1.5 py-2">
      <h2 className="px-1.5 pb-1 text-xs font-medium text-faint">{FACET_LABELS[name]}</h2>
      <ul>
        {rows.map((row) => (
          <li key={row.value}>
            <button
              type="button"
              aria-pressed={row.isChosen}
              title={facetWords(name, row)}
              onClick={() => onChange(facetChange(name, row))}
              className={cx(
                'relative flex h-7 w-full items-center gap-1.5 rounded-sm px-1.5 text-left outline-offset-[-2px]',
                row.isChosen ? 'bg-accent-soft font-medium text-accent' : 'hover:bg-hover',
              )}
            >
              {row.isChosen ? (
                <Check aria-hidden className="size-3.5 shrink-0" />
              ) : (
                <span
                  aria-hidden
                  className="absolute inset-y-1 left-0 rounded-sm bg-accent-soft"
                  style={{ width: `${(100 * (row.matches ?? 0)) / most}%` }}
                />
              )}
              <bdi className="relative min-w-0 flex-1 truncate">{facetWords(name, row)}</bdi>
              <span className="tabular relative text-xs text-soft">
                {row.matches === undefined ? 'not counted' : figure(row.matches)}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
