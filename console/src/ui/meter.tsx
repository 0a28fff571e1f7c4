import { cx } from './classes.ts';

export interface MeterProps {
  readonly label: string;
  readonly value: number;
  readonly limit: number;
  /** The value that is expected at the end, drawn lighter. */
  readonly projected?: number | undefined;
}

/** How much of a limit is used. Its colour warns above 90 %. */
export function Meter({ label, value, limit, projected }: MeterProps) {
  const shareOf = (part: number) => (limit === 0 ? 1 : Math.min(1, part / limit));
  const share = shareOf(value);
  return (
    <div
      role="meter"
      aria-label={label}
      aria-valuenow={value}
      aria-valuemin={0}
      aria-valuemax={limit}
      className="relative mt-1.5 h-1.5 overflow-hidden rounded-full bg-hover"
    >
      {projected !== undefined && (
        <div
          className={cx('absolute inset-y-0 left-0 opacity-40', projected > limit ? 'bg-bad' : 'bg-accent')}
          style={{ width: `${100 * shareOf(projected)}%` }}
        />
      )}
      <div
        className={cx('relative h-full rounded-full', share >= 1 ? 'bg-bad' : share > 0.9 ? 'bg-warn' : 'bg-accent')}
        style={{ width: `${100 * share}%` }}
      />
    </div>
  );
}
