/** A dialog that is a form: one button below submits it. */
import { type ReactNode, type RefObject, useId, useLayoutEffect, useRef, useState } from 'react';
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
  /** The form shows errors of a field next to that field. Shown here is what no field has taken. */
  readonly error?: SluiceError | null;
  onSubmit(): void;
  onClose(): void;
  readonly children: ReactNode;
}

export function FormDialog(props: FormDialogProps) {
  const { title, about, action, busy, obstacle, error, onSubmit, onClose, children } = props;
  const id = useId();
  const fields = useRef<HTMLDivElement>(null);
  const untaken = useUntaken(fields, error);
  const [isTypedInto, setTypedInto] = useState(false);
  return (
    <Dialog
      open
      title={title}
      about={about}
      isTypedInto={isTypedInto}
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
        onChange={() => setTypedInto(true)}
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit();
        }}
      >
        <div ref={fields} className="grid gap-4">
          {children}
        </div>
        {untaken.map((message) => (
          <p key={message} role="alert" className="text-bad">
            {message}
          </p>
        ))}
      </form>
    </Dialog>
  );
}

const NONE: readonly string[] = [];

/** What the server said that is to be read at no field. Which fields there are is only known when they are drawn. */
function useUntaken(fields: RefObject<HTMLElement | null>, error: SluiceError | null | undefined): readonly string[] {
  const [untaken, setUntaken] = useState(NONE);
  useLayoutEffect(() => {
    const read = fields.current?.innerText ?? '';
    setUntaken(error == null ? NONE : saidBy(error).filter((message) => !read.includes(message)));
  }, [fields, error]);
  return untaken;
}

const saidBy = ({ issues, message }: SluiceError): string[] =>
  issues.length === 0 ? [message] : [...new Set(issues.map((issue) => issue.message))];
