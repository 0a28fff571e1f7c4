/** The states of a page: while it loads, when it fails, and when the address names no page. */
import { type ErrorComponentProps, Link } from '@tanstack/react-router';
import { Compass } from 'lucide-react';
import { buttonClass } from '../ui/button.tsx';
import { Page } from '../ui/page.tsx';
import { Skeleton, SkeletonRows } from '../ui/skeleton.tsx';
import { EmptyState, ErrorState } from '../ui/states.tsx';

export function PagePending() {
  return (
    <div className="mx-auto w-full max-w-[84rem] px-4 py-5 sm:px-6">
      <Skeleton className="mb-5 h-7 w-40" />
      <div className="rounded-lg border">
        <SkeletonRows />
      </div>
    </div>
  );
}

export function PageError({ error, reset }: ErrorComponentProps) {
  return <ErrorState title="This page could not be shown" error={error} onRetry={reset} />;
}

export function NotFound() {
  return (
    <Page title="Page not found">
      <EmptyState
        icon={<Compass aria-hidden className="size-5" />}
        title="There is no page at this address"
        actions={
          <Link to="/" className={buttonClass()}>
            Home
          </Link>
        }
      >
        The address may be mistyped, or from another version of Sluice.
      </EmptyState>
    </Page>
  );
}
