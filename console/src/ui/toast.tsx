/** Short messages about a finished action, some with a button that undoes it. Screen readers announce them. */
import { CircleAlert, CircleCheck } from 'lucide-react';
import { observable, useObservable } from '../data/observable.ts';

export interface ToastAction {
  readonly label: string;
  run(): void;
}

interface Toast {
  readonly id: number;
  readonly tone: 'ok' | 'bad';
  readonly text: string;
  readonly action: ToastAction | undefined;
}

const SHOWN_FOR = 6_000;
/** A message with a button stays longer: the button is found and reached first. */
export const UNDO_FOR = 10_000;
const toasts = observable<readonly Toast[]>([]);
let count = 0;

/** Returns a function that takes the message away. */
export function toast(text: string, tone: Toast['tone'] = 'ok', action?: ToastAction): () => void {
  const id = ++count;
  const drop = () => toasts.set(toasts.get().filter((one) => one.id !== id));
  // A message that is shown twice says nothing new.
  const others = toasts.get().filter((one) => one.text !== text || one.action !== undefined);
  toasts.set([...others, { id, tone, text, action }].slice(-3));
  setTimeout(drop, action === undefined ? SHOWN_FOR : UNDO_FOR);
  return drop;
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
      {shown.map(({ id, tone, text, action }) => (
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
          {action !== undefined && (
            <button
              type="button"
              className="shrink-0 font-medium text-accent hover:text-accent-strong"
              onClick={() => {
                toasts.set(toasts.get().filter((one) => one.id !== id));
                action.run();
              }}
            >
              {action.label}
            </button>
          )}
        </div>
      ))}
    </div>
  );
}
