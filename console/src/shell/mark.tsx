import { cx } from '../ui/classes.ts';

/** The logo: a gate with water flowing through. */
export function Mark({ className = 'size-6' }: { className?: string }) {
  return (
    <svg aria-hidden viewBox="0 0 32 32" className={cx('text-accent', className)} fill="none" stroke="currentColor">
      <path d="M7 5v22M25 5v22" strokeWidth="2.6" strokeLinecap="round" />
      <path d="M7 10h18" strokeWidth="2.6" />
      <path
        d="M11.5 17.5c1.5-1.5 3-1.5 4.5 0s3 1.5 4.5 0M11.5 23.5c1.5-1.5 3-1.5 4.5 0s3 1.5 4.5 0"
        strokeWidth="2.2"
        strokeLinecap="round"
      />
    </svg>
  );
}
