import { ChevronRight } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { cx } from './classes.ts';

export interface CardProps {
  readonly title?: ReactNode;
  /** Shown to the right of the title: a figure, a switch, a link. */
  readonly aside?: ReactNode;
  /** By which a link leads to it. */
  readonly anchor?: string;
  readonly className?: string;
  /** Without padding: for tables and lists that reach the edge. */
  readonly flush?: boolean;
  readonly children: ReactNode;
}

/** A named part of a page, with a hairline around it. */
export function Card({ title, aside, anchor, className, flush = false, children }: CardProps) {
  const id = useId();
  return (
    <section
      id={anchor}
      aria-labelledby={title === undefined ? undefined : id}
      className={cx('min-w-0 scroll-mt-16 rounded-lg border bg-surface', className)}
    >
      {title !== undefined && (
        <header className="flex min-h-10 flex-wrap items-center justify-between gap-x-3 gap-y-1 border-b px-3 py-1.5">
          <h2 id={id} className="text-sm font-medium">
            {title}
          </h2>
          {aside !== undefined && <div className="flex items-center gap-2 text-xs text-soft">{aside}</div>}
        </header>
      )}
      <div className={flush ? undefined : 'p-3'}>{children}</div>
    </section>
  );
}

export interface FoldedCardProps extends Required<Pick<CardProps, 'title' | 'aside' | 'anchor' | 'children'>> {
  /** The part in a few words. */
  readonly words: string;
}

/** A part that is as usual: one line, which opens. */
export function FoldedCard({ title, words, aside, anchor, children }: FoldedCardProps) {
  const id = useId();
  return (
    <section id={anchor} aria-labelledby={id} className="min-w-0 scroll-mt-16 rounded-lg border bg-surface">
      <details className="group/card">
        <summary className="flex min-h-10 cursor-pointer list-none flex-wrap items-center gap-x-2 rounded-lg px-3 py-1.5 hover:bg-hover [&::-webkit-details-marker]:hidden">
          <ChevronRight aria-hidden className="size-4 text-faint transition-transform group-open/card:rotate-90" />
          <h2 id={id} className="text-sm font-medium">
            {title}
          </h2>
          <span className="text-xs text-soft">{words}</span>
          <span className="ml-auto">{aside}</span>
        </summary>
        <div className="border-t p-3">{children}</div>
      </details>
    </section>
  );
}
