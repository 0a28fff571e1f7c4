import type { ComponentProps, ReactNode } from 'react';
import { cx } from './classes.ts';

/** A table that scrolls sideways on narrow screens, so that the page does not. */
export function Table({ label, children }: { label: string; children: ReactNode }) {
  return (
    // It can take the focus, because keyboard users could not scroll it otherwise.
    <div role="group" aria-label={label} tabIndex={0} className="overflow-x-auto rounded-[inherit]">
      <table className="w-full border-collapse text-left">{children}</table>
    </div>
  );
}

export function Th({ className, ...rest }: ComponentProps<'th'>) {
  return (
    <th
      scope="col"
      {...rest}
      className={cx(
        'h-8 border-b px-2 first:pl-3 last:pr-3 sm:px-3 text-xs font-medium whitespace-nowrap text-faint',
        className,
      )}
    />
  );
}

export function Td({ className, ...rest }: ComponentProps<'td'>) {
  return <td {...rest} className={cx('border-b px-2 py-2 align-top first:pl-3 last:pr-3 sm:px-3', className)} />;
}
