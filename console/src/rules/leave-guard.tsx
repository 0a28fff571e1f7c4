/** Nobody loses a rule by a stray click: leaving with something unsaved is asked about. */
import { useBlocker } from '@tanstack/react-router';
import { Confirm } from '../ui/dialog.tsx';

export function LeaveGuard({ when }: { when: boolean }) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: () => when,
    enableBeforeUnload: () => when,
    withResolver: true,
  });
  return (
    <Confirm
      title="Leave without saving?"
      action="Leave"
      keep="Stay"
      open={status === 'blocked'}
      onClose={() => reset?.()}
      onConfirm={async () => proceed?.()}
    >
      What you wrote here is not saved yet.
    </Confirm>
  );
}
