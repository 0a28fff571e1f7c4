/** Choices of a form that most people leave as they are. Folded they say what holds, and open where something was chosen. */
import { ChevronRight } from 'lucide-react';
import { type ReactNode, useState } from 'react';

interface OptionFoldProps {
  readonly title: string;
  /** What holds, in a few words. */
  readonly says?: string;
  /** Something in it was chosen before, or refused. */
  readonly isOpen: boolean;
  readonly children: ReactNode;
}

export function OptionFold({ title, says, isOpen, children }: OptionFoldProps) {
  // What was opened is not folded under the hand of whoever takes a choice back.
  const [wasOpen, setWasOpen] = useState(isOpen);
  if (isOpen && !wasOpen) setWasOpen(true);
  return (
    <details className="group/fold rounded-md border" open={wasOpen}>
      <summary className="flex cursor-pointer list-none flex-wrap items-center gap-x-1.5 px-3 py-2 text-sm font-medium [&::-webkit-details-marker]:hidden">
        <ChevronRight aria-hidden className="size-3.5 text-soft transition-transform group-open/fold:rotate-90" />
        {title}
        {says !== undefined && <span className="text-xs font-normal text-soft">{says}</span>}
      </summary>
      <div className="grid gap-4 border-t p-3">{children}</div>
    </details>
  );
}
