/** The save button at the foot of the form. If saving is not possible, the words beside it say why. */
import type { ReactNode } from 'react';
import type { SluiceError } from '../../../packages/client/src/index.ts';
import { Button } from '../ui/button.tsx';
import { Kbd } from '../ui/kbd.tsx';
import { refusalWords } from './refusal-words.ts';

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
      <span role="status" className="text-soft">
        {obstacle ?? (
          <span className="hidden items-center gap-1 sm:flex" title={`Ctrl and Enter: ${action}`}>
            <Kbd>Ctrl</Kbd>
            <Kbd>Enter</Kbd>
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

/** Says who refused the rule, all of the reasons, and what to do next. */
export function Refusal({ error }: { error: SluiceError | null }) {
  if (error === null) return undefined;
  const { who, reasons, next } = refusalWords(error);
  return (
    <div role="alert" className="mb-4 rounded-lg border border-bad bg-bad-soft px-3 py-2 text-bad">
      {who !== undefined && <p className="font-medium">{who}</p>}
      {reasons.map((reason) => (
        <p key={reason}>{reason}</p>
      ))}
      {next !== undefined && <p>{next}</p>}
    </div>
  );
}
