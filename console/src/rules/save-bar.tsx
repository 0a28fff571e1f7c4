/** The save button at the foot of the form. If saving is not possible, the words beside it say why. */
import type { ReactNode } from 'react';
import type { SluiceError } from '../../../packages/client/src/index.ts';
import { Button } from '../ui/button.tsx';
import { cx } from '../ui/classes.ts';
import { Kbd } from '../ui/kbd.tsx';

export interface SaveBarProps {
  readonly action: string;
  readonly obstacle: string | undefined;
  readonly busy: boolean;
  /** Shown before the button, for instance one that discards. */
  readonly children?: ReactNode;
  onSave(): void;
}

export function SaveBar({ action, obstacle, busy, children, onSave }: SaveBarProps) {
  return (
    <div className="sticky bottom-0 z-10 -mx-4 mt-4 flex flex-wrap items-center justify-end gap-x-3 gap-y-2 border-t bg-canvas px-4 py-3 sm:-mx-6 sm:px-6">
      <span role="status" className={cx('text-soft', obstacle === undefined && 'mr-auto')}>
        {obstacle ?? (
          <span className="hidden items-center gap-1 sm:flex">
            <Kbd>Ctrl</Kbd>
            <Kbd>Enter</Kbd> does the same.
          </span>
        )}
      </span>
      {children}
      <Button look="primary" busy={busy} obstacle={obstacle} onClick={onSave}>
        {action}
      </Button>
    </div>
  );
}

/** All the reasons for which the server refused the rule. */
export function Refusal({ error }: { error: SluiceError | null }) {
  if (error === null) return undefined;
  const issues = error.issues.map(({ message }) => message);
  return (
    <div role="alert" className="mb-4 rounded-lg border border-bad bg-bad-soft px-3 py-2 text-bad">
      {issues.length === 0 ? error.message : issues.map((message) => <p key={message}>{message}</p>)}
    </div>
  );
}
