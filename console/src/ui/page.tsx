import { type ReactNode, useEffect, useRef } from 'react';
import { cx } from './classes.ts';

export interface PageProps {
  readonly title: string;
  /** One line under the title. */
  readonly about?: ReactNode;
  readonly actions?: ReactNode;
  /** The actions are few and small: on a phone they stand beside the title. */
  readonly hasSmallActions?: boolean;
  readonly children: ReactNode;
}

/** Whether a page was shown: the first leaves the focus where the browser puts it. */
let hasShown = false;

/** A page: heading, actions, content. */
export function Page({ title, about, actions, hasSmallActions = false, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Sluice`;
  }, [title]);
  useEffect(() => {
    // After a navigation the focus is on the link that led here, or on nothing. It goes to the heading, which is read out.
    const content = document.getElementById('content');
    const isFirst = !hasShown;
    hasShown = true;
    if (!isFirst && content?.contains(document.activeElement) !== true) heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <div className="mx-auto w-full max-w-[84rem] px-4 py-5 sm:px-6">
      <header className="mb-4 flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className={cx('min-w-0 sm:flex-1 sm:basis-28', hasSmallActions && 'max-sm:contents')}>
          <h1
            ref={heading}
            tabIndex={-1}
            className="outline-none min-w-0 text-xl font-semibold tracking-tight text-balance break-words max-sm:flex-1"
          >
            {title}
          </h1>
          {about !== undefined && (
            <div className="mt-0.5 max-w-2xl text-soft max-sm:order-last max-sm:w-full">{about}</div>
          )}
        </div>
        {actions !== undefined && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
      {children}
    </div>
  );
}
