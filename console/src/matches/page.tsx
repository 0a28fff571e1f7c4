/** Matches as they arrive, and all stored ones. */
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { ArrowUp, Radio } from 'lucide-react';
import { type ReactNode, useCallback, useEffect, useMemo, useRef } from 'react';
import type { FeedView } from '../data/feed.ts';
import { useFeed } from '../data/use-feed.ts';
import { buttonClass } from '../ui/button.tsx';
import { cx } from '../ui/classes.ts';
import { counted } from '../ui/moment.ts';
import { Page } from '../ui/page.tsx';
import { SkeletonRows } from '../ui/skeleton.tsx';
import { EmptyState, ErrorState } from '../ui/states.tsx';
import { Detail } from './detail.tsx';
import { FeedControls } from './feed-controls.tsx';
import { FeedList } from './feed-list.tsx';
import { countsInput, feedFilter, type MatchesSearch } from './filter.ts';
import { FilterBar, type FilterBarProps } from './filter-bar.tsx';
import { useShortcuts } from './shortcuts.ts';
import { useReading } from './use-reading.ts';
import { Volume } from './volume.tsx';

export function MatchesPage() {
  const search: MatchesSearch = useSearch({ from: '/inside/matches' });
  const navigate = useNavigate({ from: '/matches' });
  const wanted = JSON.stringify(search);
  // A span such as "last hour" starts at a fixed time: the hour before it was chosen. The view does not slide.
  const [filter, counts] = useMemo(() => {
    const now = Date.now();
    const chosen = JSON.parse(wanted) as MatchesSearch;
    return [feedFilter(chosen, now), countsInput(chosen, now)] as const;
  }, [wanted]);
  const { view, feed } = useFeed(filter);
  const release = useCallback(() => feed?.release(), [feed]);
  const reading = useReading(view, release);
  const textInput = useRef<HTMLInputElement>(null);
  const change: FilterBarProps['onChange'] = useCallback(
    (part) => void navigate({ search: (last) => given({ ...last, ...part }), replace: true }),
    [navigate],
  );

  useEffect(() => {
    if (reading.isHeld) feed?.hold();
    else feed?.release();
  }, [reading.isHeld, feed]);

  useShortcuts((shortcut) => {
    if (shortcut === 'search') textInput.current?.focus();
    else reading.run(shortcut);
  });

  return (
    <Page
      title="Matches"
      actions={<FeedControls view={view} isPaused={reading.isPaused} onPause={reading.togglePause} />}
    >
      <FilterBar search={search} textInput={textInput} onChange={change} />
      <Volume input={counts} onSelect={(since, until) => change({ since, until })} />
      <div className={cx('items-start gap-4 lg:grid', reading.open !== undefined && 'lg:grid-cols-2')}>
        <div className="min-w-0 overflow-clip rounded-lg border bg-surface">
          <Waiting count={view.waiting} onShow={reading.showNewest} />
          <Content
            view={view}
            isFiltered={wanted !== '{}'}
            list={
              <FeedList
                view={view}
                currentId={reading.currentId}
                openId={reading.open?.id}
                onOpen={reading.openMatch}
                onOlder={() => void feed?.loadOlder()}
              />
            }
          />
        </div>
        {reading.open !== undefined && (
          <Detail match={reading.open} tab={reading.tab} onTab={reading.setTab} onClose={reading.close} />
        )}
      </div>
    </Page>
  );
}

/** The search without its undefined values. */
const given = (search: Record<string, string | undefined>): MatchesSearch =>
  Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined));

/** The feed keeps this many waiting matches; there may be more. */
const MOST_WAITING = 500;

function Waiting({ count, onShow }: { count: number; onShow(): void }) {
  return (
    <div aria-live="polite" className="sticky top-12 z-20 md:top-0">
      {count > 0 && (
        <button
          type="button"
          onClick={onShow}
          className="flex h-8 w-full items-center justify-center gap-1.5 border-b bg-accent-soft font-medium text-accent outline-offset-[-2px] hover:text-accent-strong"
        >
          <ArrowUp aria-hidden className="size-3.5" />
          {count >= MOST_WAITING ? `${MOST_WAITING} or more new matches` : counted(count, 'new match', 'new matches')}
        </button>
      )}
    </div>
  );
}

function Content({ view, isFiltered, list }: { view: FeedView; isFiltered: boolean; list: ReactNode }) {
  if (view.state === 'failed') return <ErrorState error={view.error} onRetry={() => location.reload()} />;
  if (view.matches.length > 0) return list;
  if (view.state === 'loading') return <SkeletonRows rows={8} />;
  if (isFiltered) {
    return (
      <EmptyState icon={<Radio aria-hidden className="size-5" />} title="No matches for this filter">
        {view.state === 'still' ? 'No match was stored in this time.' : 'New matches that fit the filter appear here.'}
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={<Radio aria-hidden className="size-5" />}
      title="No matches yet"
      actions={
        <Link to="/rules/new" className={buttonClass('primary')}>
          New rule
        </Link>
      }
    >
      Posts and pages that match your rules appear here as they arrive.
    </EmptyState>
  );
}
