import type { ReactNode } from 'react';
import { cx } from './classes.ts';

export type Tone = 'neutral' | 'accent' | 'ok' | 'warn' | 'bad';

const TONES: Record<Tone, string> = {
  neutral: 'bg-hover text-soft',
  accent: 'bg-accent-soft text-accent',
  ok: 'bg-ok-soft text-ok',
  warn: 'bg-warn-soft text-warn',
  bad: 'bg-bad-soft text-bad',
};

const DOTS: Record<Tone, string> = {
  neutral: 'bg-faint',
  accent: 'bg-accent',
  ok: 'bg-ok',
  warn: 'bg-warn',
  bad: 'bg-bad',
};

export interface BadgeProps {
  readonly tone?: Tone;
  /** Shows a dot in the tone's colour before the words. The words alone must tell the state. */
  readonly dot?: boolean;
  readonly title?: string;
  readonly children: ReactNode;
}

export function Badge({ tone = 'neutral', dot = false, title, children }: BadgeProps) {
  return (
    <span
      title={title}
      className={cx(
        'inline-flex items-center gap-1.5 rounded-sm px-1.5 text-xs leading-5 font-medium whitespace-nowrap',
        TONES[tone],
      )}
    >
      {dot && <span aria-hidden className={cx('size-1.5 rounded-full', DOTS[tone])} />}
      {children}
    </span>
  );
}
