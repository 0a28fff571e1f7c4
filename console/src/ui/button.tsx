import type { ComponentProps, ReactNode } from 'react';
import { cx } from './classes.ts';

type Look = 'primary' | 'plain' | 'quiet' | 'danger';

const LOOKS: Record<Look, string> = {
  primary: 'border-accent bg-accent text-on-accent hover:border-accent-strong hover:bg-accent-strong',
  plain: 'border-line-strong bg-surface text-ink hover:bg-hover',
  quiet: 'border-transparent text-soft hover:bg-hover hover:text-ink',
  danger: 'border-line-strong bg-surface text-bad hover:border-bad hover:bg-bad-soft',
};

const SHAPE =
  'inline-flex shrink-0 items-center justify-center gap-1.5 rounded-md border font-medium whitespace-nowrap select-none ' +
  'transition-colors duration-100 disabled:pointer-events-none disabled:opacity-55 aria-disabled:opacity-55';

/** Also for links that look like a button. */
export const buttonClass = (look: Look = 'plain', size: 'small' | 'usual' = 'usual'): string =>
  cx(SHAPE, LOOKS[look], size === 'small' ? 'h-7 px-2 text-xs' : 'h-8 px-3 text-sm');

export interface ButtonProps extends ComponentProps<'button'> {
  readonly look?: Look;
  readonly size?: 'small' | 'usual';
  readonly icon?: ReactNode;
  /** The action is running: the button takes no second click and is announced as busy. */
  readonly busy?: boolean;
}

export function Button({ look, size, icon, busy = false, className, children, disabled, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      disabled={disabled || busy}
      aria-busy={busy || undefined}
      className={cx(buttonClass(look, size), className)}
    >
      {icon}
      {children}
    </button>
  );
}

export interface IconButtonProps extends ComponentProps<'button'> {
  /** What the button does, for screen readers and on hover. */
  readonly label: string;
  readonly size?: 'small' | 'usual';
}

export function IconButton({ label, size = 'usual', className, children, ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      {...rest}
      className={cx(SHAPE, LOOKS.quiet, size === 'small' ? 'size-7' : 'size-8', className)}
    >
      {children}
    </button>
  );
}
