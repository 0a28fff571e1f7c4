/** Why matches may be missing, one sentence each. Nothing when all is complete. */
import { cx } from '../ui/classes.ts';
import { reasonWords } from '../words/coverage.ts';

export interface CoverageReasonsProps {
  readonly reasons: readonly string[];
  /** They are of one rule, and not of all that the page shows. */
  readonly isOfOne?: boolean;
  readonly className?: string;
}

export function CoverageReasons({ reasons, isOfOne = false, className }: CoverageReasonsProps) {
  if (reasons.length === 0) return null;
  return (
    <ul aria-label="Why matches may be missing" className={cx('grid gap-0.5 text-xs text-warn', className)}>
      {reasons.map((reason) => (
        <li key={reason}>{reason === 'paused' && !isOfOne ? 'Some rules are paused.' : reasonWords(reason)}</li>
      ))}
    </ul>
  );
}
