/** Shown until a rule is loaded, and if it cannot be. */
import { Page } from '../ui/page.tsx';
import { Skeleton, SkeletonRows } from '../ui/skeleton.tsx';
import { ErrorState } from '../ui/states.tsx';

export function RuleWaiting({ title, error, onRetry }: { title: string; error: Error | null; onRetry(): void }) {
  return (
    <Page title={title} about={<Skeleton className="my-0.5 h-4 w-56" />}>
      {error === null ? (
        <div className="rounded-lg border bg-surface">
          <SkeletonRows label="Loading the rule" />
        </div>
      ) : (
        <ErrorState title="This rule could not be loaded" error={error} onRetry={onRetry} />
      )}
    </Page>
  );
}
