/** The signing secret of a webhook, this once. */
import { SecretDialog } from '../ui/secret-dialog.tsx';

export function SigningSecret({ secret, onClose }: { secret: string; onClose(): void }) {
  return (
    <SecretDialog
      title="The signing secret"
      about="Your server checks with it that a delivery comes from here, after Standard Webhooks."
      name="secret"
      secret={secret}
      onClose={onClose}
    >
      This is the only time that it is shown. A new one can be made at any time.
    </SecretDialog>
  );
}
