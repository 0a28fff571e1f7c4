/** Shows a secret once, says that it is shown only once, and lets the user copy it. Only Done closes it. */
import { TriangleAlert } from 'lucide-react';
import { Button } from './button.tsx';
import { CopyButton } from './copy-button.tsx';
import { Dialog } from './dialog.tsx';

export interface SecretDialogProps {
  readonly title: string;
  readonly about?: string;
  /** The word for the secret on the copy button. */
  readonly name: string;
  readonly secret: string;
  onClose(): void;
  readonly children: string;
}

export function SecretDialog({ title, about, name, secret, onClose, children }: SecretDialogProps) {
  return (
    <Dialog
      open
      title={title}
      about={about}
      actions={
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <div className="grid gap-3">
        <div className="grid gap-2 rounded-md border border-line-strong bg-sunken p-2.5">
          <code className="font-mono text-sm break-all select-all">{secret}</code>
          <div>
            <CopyButton text={secret} label={`Copy ${name}`} />
          </div>
        </div>
        <p className="flex gap-2 text-warn">
          <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
          {children}
        </p>
      </div>
    </Dialog>
  );
}
