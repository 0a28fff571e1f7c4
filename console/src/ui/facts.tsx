/** Names and values, in as many columns as fit. */
import type { ReactNode } from 'react';
import { cx } from './classes.ts';

export function Facts({ children }: { children: ReactNode }) {
  return (
    <dl className="grid grid-cols-[repeat(auto-fill,minmax(min(8.5rem,100%),1fr))] gap-x-6 gap-y-3">{children}</dl>
  );
}

export interface FactProps {
  readonly name: string;
  /** Takes a whole line. */
  readonly wide?: boolean;
  readonly children: ReactNode;
}

export function Fact({ name, wide = false, children }: FactProps) {
  return (
    <div className={cx('min-w-0', wide && 'col-span-full')}>
      <dt className="text-xs text-faint">{name}</dt>
      <dd className="tabular min-w-0 break-words">{children}</dd>
    </div>
  );
}
