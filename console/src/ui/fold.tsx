/** A part of a page that is as usual, folded away until somebody wants it. */
import { ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';

export function Fold({ title, children }: { title: string; children: ReactNode }) {
  return (
    <details className="group/fold">
      <summary className="flex h-7 w-fit cursor-pointer list-none items-center gap-1 rounded-sm pr-2 text-xs text-soft hover:text-ink [&::-webkit-details-marker]:hidden">
        <ChevronRight aria-hidden className="size-3.5 transition-transform group-open/fold:rotate-90" />
        {title}
      </summary>
      <div className="pt-2">{children}</div>
    </details>
  );
}
