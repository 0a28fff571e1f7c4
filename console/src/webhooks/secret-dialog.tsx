/** The signing secret of a webhook, this once. */
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Secret } from '../ui/secret.tsx';

export function SecretDialog({ secret, onClose }: { secret: string; onClose(): void }) {
  return (
    <Dialog
      open
      title="The signing secret"
      about="Your server checks with it that a delivery comes from here, after Standard Webhooks."
      onClose={onClose}
      actions={
        <Button look="primary" onClick={onClose}>
          I have kept it
        </Button>
      }
    >
      <Secret name="secret" text={secret}>
        This is the only time that it is shown. A new one can be made at any time.
      </Secret>
    </Dialog>
  );
}
