import { Search } from 'lucide-react';
import type { ComponentProps } from 'react';
import { cx } from './classes.ts';

const BOX =
  'min-w-0 rounded-md border border-line-strong bg-surface text-ink transition-colors hover:border-faint ' +
  'aria-invalid:border-bad disabled:bg-sunken disabled:text-faint';

export function Input({ className, ...rest }: ComponentProps<'input'>) {
  return <input {...rest} className={cx(BOX, 'h-8 w-full px-2.5 text-sm', className)} />;
}

export function TextArea({ className, ...rest }: ComponentProps<'textarea'>) {
  return <textarea {...rest} className={cx(BOX, 'w-full px-2.5 py-1.5 text-sm', className)} />;
}

/** The native list of choices: it works with every keyboard, screen reader and phone. */
export function Select({ className, children, ...rest }: ComponentProps<'select'>) {
  return (
    <select {...rest} className={cx(BOX, 'h-8 px-2 text-sm', className ?? 'w-full')}>
      {children}
    </select>
  );
}

export function SearchInput({ label, className, ...rest }: ComponentProps<'input'> & { label: string }) {
  return (
    <div className={cx('relative', className)}>
      <Search aria-hidden className="pointer-events-none absolute top-2 left-2.5 size-4 text-faint" />
      <Input type="search" aria-label={label} placeholder={label} {...rest} className="pl-8" />
    </div>
  );
}
