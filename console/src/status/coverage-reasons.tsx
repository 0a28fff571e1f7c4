/** Why matches may be missing, one sentence each. Nothing when all is complete. */
import { cx } from '../ui/classes.ts';
import { reasonWords } from '../words/coverage.ts';

export function CoverageReasons({ reasons, className }: { reasons: readonly string[]; className?: string }) {
  if (reasons.length === 0) return null;
  return (
    <ul aria-label="Why matches may be missing" className={cx('grid gap-0.5 text-xs text-warn', className)}>
      {reasons.map((reason) => (
        <li key={reason}>{reasonWords(reason)}</li>
      ))}
    </ul>
  );
}
