/** The save button. If saving is not possible, its title says why. */
import type { SluiceError } from '../../../src/client/index.ts';
import { Button } from '../ui/button.tsx';

export interface SaveButtonProps {
  readonly action: string;
  readonly obstacle: string | undefined;
  readonly busy: boolean;
  onSave(): void;
}

export function SaveButton({ action, obstacle, busy, onSave }: SaveButtonProps) {
  return (
    <Button look="primary" busy={busy} disabled={obstacle !== undefined} title={obstacle} onClick={onSave}>
      {action}
    </Button>
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
