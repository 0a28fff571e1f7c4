import type { ComponentProps, ReactNode } from 'react';
import { cx } from './classes.ts';
import { toast } from './toast.tsx';

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
  /** Why the action is not possible now. The button looks disabled, can be reached, and says this when it is pressed. */
  readonly obstacle?: string | undefined;
  /** The action is running: the button takes no second click and is announced as busy. */
  readonly busy?: boolean;
}

export function Button(props: ButtonProps) {
  const { look, size, icon, busy = false, obstacle, className, children, disabled, onClick, ...rest } = props;
  const isBlocked = obstacle !== undefined;
  return (
    <button
      type="button"
      {...rest}
      {...(isBlocked && { 'aria-disabled': true, title: obstacle })}
      onClick={isBlocked ? () => toast(obstacle, 'bad') : onClick}
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
  /** The words for what the button does, for screen readers and on hover. */
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
