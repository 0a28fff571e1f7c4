/** Asks before the user leaves with unsaved changes. */
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
      Your changes are not saved.
    </Confirm>
  );
}
