/** Short messages about a finished action. Screen readers announce them; they vanish after six seconds. */
import { CircleAlert, CircleCheck } from 'lucide-react';
import { observable, useObservable } from '../data/observable.ts';

interface Toast {
  readonly id: number;
  readonly tone: 'ok' | 'bad';
  readonly text: string;
}

const SHOWN_FOR = 6_000;
const toasts = observable<readonly Toast[]>([]);
let count = 0;

export function toast(text: string, tone: Toast['tone'] = 'ok'): void {
  const id = ++count;
  toasts.set([...toasts.get(), { id, tone, text }].slice(-3));
  setTimeout(() => toasts.set(toasts.get().filter((one) => one.id !== id)), SHOWN_FOR);
}

/** Shows the toasts. The layout renders it once. */
export function Toasts() {
  const shown = useObservable(toasts);
  return (
    <div
      role="status"
      aria-live="polite"
      className="pointer-events-none fixed right-4 bottom-4 left-4 z-50 flex flex-col items-end gap-2"
    >
      {shown.map(({ id, tone, text }) => (
        <div
          key={id}
          className="rise pointer-events-auto flex max-w-96 items-start gap-2 rounded-md border border-line-strong bg-surface px-3 py-2 shadow-float"
        >
          {tone === 'ok' ? (
            <CircleCheck aria-hidden className="mt-0.5 size-4 shrink-0 text-ok" />
          ) : (
            <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-bad" />
          )}
          <span className="min-w-0 break-words">{text}</span>
        </div>
      ))}
    </div>
  );
}
