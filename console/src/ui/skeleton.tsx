import { cx } from './classes.ts';

/** A placeholder in the size of the content to come, so that nothing moves when it arrives. */
export function Skeleton({ className = 'h-4 w-24' }: { className?: string }) {
  return <span aria-hidden className={cx('skeleton block', className)} />;
}

export function SkeletonRows({ rows = 6, label = 'Loading' }: { rows?: number; label?: string }) {
  return (
    <div role="status" aria-label={label} className="divide-y">
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} className="flex h-11 items-center gap-4 px-3">
          <Skeleton className={cx('h-3.5', WIDTHS[row % WIDTHS.length])} />
          <Skeleton className="ml-auto h-3.5 w-16" />
        </div>
      ))}
    </div>
  );
}

const WIDTHS = ['w-48', 'w-64', 'w-40', 'w-56'];
