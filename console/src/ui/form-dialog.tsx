/** A dialog that is a form: one button below submits it. */
import { type ReactNode, useId } from 'react';
import type { SluiceError } from '../../../packages/client/src/index.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';

export interface FormDialogProps {
  readonly title: string;
  readonly about?: string;
  /** The label of the submit button: a verb. */
  readonly action: string;
  readonly busy: boolean;
  /** Why it cannot be submitted yet. */
  readonly obstacle?: string | undefined;
  /** Shown here if it names no field. The form shows errors of a field next to that field. */
  readonly error?: SluiceError | null;
  onSubmit(): void;
  onClose(): void;
  readonly children: ReactNode;
}

export function FormDialog(props: FormDialogProps) {
  const { title, about, action, busy, obstacle, error, onSubmit, onClose, children } = props;
  const id = useId();
  return (
    <Dialog
      open
      title={title}
      about={about}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" form={id} busy={busy} obstacle={obstacle}>
            {action}
          </Button>
        </>
      }
    >
      <form
        id={id}
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit();
        }}
      >
        {children}
        {error?.issues.length === 0 && (
          <p role="alert" className="text-bad">
            {error.message}
          </p>
        )}
      </form>
    </Dialog>
  );
}
