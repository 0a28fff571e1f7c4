/** Shown until a rule is loaded, and if it cannot be. */
import { Link } from '@tanstack/react-router';
import { SearchX } from 'lucide-react';
import { SluiceError } from '../../../packages/client/src/index.ts';
import { buttonClass } from '../ui/button.tsx';
import { Page } from '../ui/page.tsx';
import { Skeleton, SkeletonRows } from '../ui/skeleton.tsx';
import { EmptyState, ErrorState } from '../ui/states.tsx';

export function RuleWaiting({ title, error, onRetry }: { title: string; error: Error | null; onRetry(): void }) {
  if (error === null)
    return (
      <Page title={title} about={<Skeleton className="my-0.5 h-4 w-56" />}>
        <div className="rounded-lg border bg-surface">
          <SkeletonRows label="Loading the rule" />
        </div>
      </Page>
    );
  const isGone = error instanceof SluiceError && error.code === 'not_found';
  return (
    <Page title={title}>
      {isGone ? <RuleGone /> : <ErrorState title="This rule could not be loaded" error={error} onRetry={onRetry} />}
    </Page>
  );
}

/** To ask again would not help. */
function RuleGone() {
  return (
    <EmptyState
      icon={<SearchX aria-hidden className="size-5" />}
      title="There is no such rule"
      actions={
        <>
          <Link to="/rules" search={{}} className={buttonClass()}>
            All rules
          </Link>
          <Link to="/rules/deleted" className={buttonClass('quiet')}>
            Deleted rules
          </Link>
        </>
      }
    >
      It may have been deleted. A deleted rule can be restored for seven days.
    </EmptyState>
  );
}
