import { cx } from './classes.ts';

export interface MeterProps {
  readonly label: string;
  readonly value: number;
  readonly limit: number;
}

/** How much of a limit is used. Its colour warns above 90 %. */
export function Meter({ label, value, limit }: MeterProps) {
  const share = limit === 0 ? 1 : Math.min(1, value / limit);
  return (
    <div
      role="meter"
      aria-label={label}
      aria-valuenow={value}
      aria-valuemin={0}
      aria-valuemax={limit}
      className="mt-1.5 h-1.5 overflow-hidden rounded-full bg-hover"
    >
      <div
        className={cx('h-full rounded-full', share >= 1 ? 'bg-bad' : share > 0.9 ? 'bg-warn' : 'bg-accent')}
        style={{ width: `${100 * share}%` }}
      />
    </div>
  );
}
