/** Shows the signing secret of a webhook once. */
import { SecretDialog } from '../ui/secret-dialog.tsx';

export function SigningSecret({ secret, onClose }: { secret: string; onClose(): void }) {
  return (
    <SecretDialog
      title="Signing secret"
      about="Your server uses it to verify that a delivery comes from this Sluice server. Signatures follow Standard Webhooks."
      name="secret"
      secret={secret}
      onClose={onClose}
    >
      Copy it now: it is shown only once. You can create a new secret at any time.
    </SecretDialog>
  );
}
