/** Makes a webhook, then shows its signing secret, this once. */
import { useChange } from '../data/change.ts';
import { client } from '../data/client.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { SecretDialog } from './secret-dialog.tsx';
import { type Choice, WebhookForm } from './webhook-form.tsx';

export interface CreateWebhookProps {
  onClose(): void;
  onCreated(webhookId: string): void;
}

export function CreateWebhook({ onClose, onCreated }: CreateWebhookProps) {
  const create = useChange(createFrom, ['webhooks']);
  const { data: created } = create;
  if (created !== undefined) {
    return <SecretDialog secret={created.secret} onClose={() => onCreated(created.webhook_id)} />;
  }
  return (
    <Dialog
      open
      title="New webhook"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" form="new-webhook" busy={create.isPending}>
            Make the webhook
          </Button>
        </>
      }
    >
      <WebhookForm id="new-webhook" error={create.error} onSubmit={(choice) => create.mutate(choice)} />
    </Dialog>
  );
}

/** What is null is left out: all of them, as they come. */
const createFrom = ({ url, description, format, rule_ids, platforms, batch }: Choice) =>
  client.webhooks.create({
    url,
    description,
    format,
    ...(rule_ids !== null && { rule_ids }),
    ...(platforms !== null && { platforms }),
    ...(batch !== null && { batch }),
  });
