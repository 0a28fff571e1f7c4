/** Dialogs: they block the page behind, close with Escape, and return the focus to where it was. */
import { AlertDialog } from '@base-ui/react/alert-dialog';
import { Dialog as Base } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { Button, IconButton } from './button.tsx';
import { cx } from './classes.ts';

const BACKDROP = 'backdrop fixed inset-0 z-40 bg-[rgb(8_12_16/0.45)]';
const POPUP =
  'rise fixed top-[12vh] left-1/2 z-50 flex max-h-[80vh] w-[min(32rem,calc(100vw-2rem))] -translate-x-1/2 flex-col rounded-lg border ' +
  'border-line-strong bg-surface shadow-float outline-none';

/** Much to read: on a phone it takes the whole screen. */
const WHOLE = 'max-sm:inset-0 max-sm:max-h-none max-sm:w-full max-sm:translate-x-0 max-sm:rounded-none max-sm:border-0';

export interface DialogProps {
  readonly title: string;
  readonly about?: ReactNode;
  readonly open: boolean;
  /** Without it, nothing but what is inside closes the dialog: no Escape, no click outside, no cross. */
  onClose?(): void;
  /** The buttons, the most important one last. */
  readonly actions?: ReactNode;
  /** There is much to read in it. */
  readonly isLong?: boolean;
  /** Something was typed into it: a click that misses the dialog must not lose it. */
  readonly isTypedInto?: boolean;
  readonly children: ReactNode;
}

/** The fields that a person came to fill in: the first one, and of radio buttons the one that is chosen. */
const FIELDS =
  'input:not([type=hidden], [type=radio]):enabled, input[type=radio]:checked:enabled, textarea:enabled, select:enabled';

export function Dialog(props: DialogProps) {
  const { title, about, open, onClose, actions, isLong = false, isTypedInto = false, children } = props;
  const body = useRef<HTMLDivElement>(null);
  return (
    <Base.Root
      open={open}
      onOpenChange={(isOpen) => isOpen || onClose?.()}
      disablePointerDismissal={onClose === undefined || isTypedInto}
    >
      <Base.Portal>
        <Base.Backdrop className={BACKDROP} />
        <Base.Popup
          className={cx(POPUP, isLong && WHOLE)}
          // Without a field, the first control that there is.
          initialFocus={() => body.current?.querySelector<HTMLElement>(FIELDS) ?? true}
        >
          <header className="flex items-start justify-between gap-4 px-4 pt-3">
            <div>
              <Base.Title className="text-base font-semibold">{title}</Base.Title>
              {about !== undefined && <Base.Description className="mt-0.5 text-soft">{about}</Base.Description>}
            </div>
            {onClose !== undefined && (
              <IconButton label="Close" size="small" onClick={onClose} className="-mr-1.5">
                <X aria-hidden className="size-4" />
              </IconButton>
            )}
          </header>
          <div ref={body} className="min-h-0 overflow-y-auto px-4 py-3">
            {children}
          </div>
          {actions !== undefined && <footer className="flex justify-end gap-2 border-t px-4 py-3">{actions}</footer>}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

export interface ConfirmProps {
  readonly title: string;
  readonly children: ReactNode;
  /** The label of the confirming button: a verb. */
  readonly action: string;
  /** The label of the button that closes the dialog without acting. */
  readonly keep?: string;
  readonly open: boolean;
  onClose(): void;
  onConfirm(): Promise<unknown>;
}

/** Asks before an action that cannot be undone. Only the two buttons and Escape close it. */
export function Confirm({ title, children, action, keep = 'Cancel', open, onClose, onConfirm }: ConfirmProps) {
  const [state, setState] = useState<{ busy: boolean; error?: string }>({ busy: false });
  const question = useRef({});
  // Each time it opens it is another question, to which the outcome of the one before says nothing.
  useLayoutEffect(() => {
    if (!open) return;
    question.current = {};
    setState({ busy: false });
  }, [open]);
  async function confirm() {
    const asked = question.current;
    const end = (outcome: { error?: string }) => {
      if (asked === question.current) setState({ busy: false, ...outcome });
    };
    setState({ busy: true });
    try {
      await onConfirm();
      end({});
      if (asked === question.current) onClose();
    } catch (error) {
      end({ error: (error as Error).message });
    }
  }
  return (
    <AlertDialog.Root open={open} onOpenChange={(isOpen) => isOpen || onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={BACKDROP} />
        <AlertDialog.Popup className={POPUP}>
          <div className="px-4 pt-3 pb-4">
            <AlertDialog.Title className="text-base font-semibold">{title}</AlertDialog.Title>
            <AlertDialog.Description className="mt-1 text-soft" render={<div />}>
              {children}
            </AlertDialog.Description>
            {state.error !== undefined && (
              <p role="alert" className="mt-2 text-bad">
                {state.error}
              </p>
            )}
          </div>
          <footer className="flex justify-end gap-2 border-t px-4 py-3">
            <AlertDialog.Close render={<Button />}>{keep}</AlertDialog.Close>
            <Button look="danger" busy={state.busy} onClick={() => void confirm()}>
              {action}
            </Button>
          </footer>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
