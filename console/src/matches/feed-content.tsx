/** The content of the list before, without and above its matches. */
import { Link } from '@tanstack/react-router';
import { ArrowUp, Radio } from 'lucide-react';
import type { ReactNode } from 'react';
import type { FeedView } from '../data/feed.ts';
import { buttonClass } from '../ui/button.tsx';
import { counted } from '../ui/moment.ts';
import { SkeletonRows } from '../ui/skeleton.tsx';
import { EmptyState, ErrorState } from '../ui/states.tsx';

/** The feed keeps this many waiting matches; there may be more. */
const MOST_WAITING = 500;

interface WaitingProps {
  readonly count: number;
  readonly words?: string;
  onShow(): void;
}

export function Waiting({ count, words = matchWords(count), onShow }: WaitingProps) {
  return (
    <div aria-live="polite" className="sticky top-12 z-20 md:top-0">
      {count > 0 && (
        <button
          type="button"
          onClick={onShow}
          className="flex h-8 w-full items-center justify-center gap-1.5 border-b bg-accent-soft font-medium text-accent outline-offset-[-2px] hover:text-accent-strong"
        >
          <ArrowUp aria-hidden className="size-3.5" />
          {words}
        </button>
      )}
    </div>
  );
}

const matchWords = (count: number): string =>
  count >= MOST_WAITING ? `${MOST_WAITING} or more new matches` : counted(count, 'new match', 'new matches');

export interface FeedContentProps {
  readonly view: FeedView;
  readonly isFiltered: boolean;
  readonly list: ReactNode;
  /** Said instead of the usual words where nothing is filtered and nothing was found. */
  readonly empty?: ReactNode;
}

export function FeedContent({ view, isFiltered, list, empty }: FeedContentProps) {
  if (view.state === 'failed') return <ErrorState error={view.error} onRetry={() => location.reload()} />;
  if (view.matches.length > 0) return list;
  if (!view.isLoaded) {
    return view.error === undefined ? (
      <SkeletonRows rows={8} />
    ) : (
      <ErrorState title="Loading failed. The console tries again by itself." error={view.error} />
    );
  }
  const icon = <Radio aria-hidden className="size-5" />;
  if (isFiltered) {
    return (
      <EmptyState icon={icon} title="No matches for this filter">
        {view.state === 'still' ? 'No match was stored in this time.' : 'New matches that fit the filter appear here.'}
      </EmptyState>
    );
  }
  if (empty !== undefined) return empty;
  return (
    <EmptyState
      icon={icon}
      title="No matches yet"
      actions={
        <Link to="/rules/new" search={{}} className={buttonClass('primary')}>
          New rule
        </Link>
      }
    >
      Posts and pages that match your rules appear here as they arrive.
    </EmptyState>
  );
}
