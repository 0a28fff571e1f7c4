/** Creates a webhook, then shows its signing secret once. */
import { useChange } from '../data/change.ts';
import { client } from '../data/client.ts';
import { SigningSecret } from './signing-secret.tsx';
import { type Choice, WebhookForm } from './webhook-form.tsx';

export interface CreateWebhookProps {
  /** Chosen beforehand. */
  readonly ruleIds?: readonly string[];
  onClose(): void;
  onCreated(webhookId: string): void;
}

export function CreateWebhook({ ruleIds, onClose, onCreated }: CreateWebhookProps) {
  const create = useChange(createFrom, ['webhooks']);
  const { data: created } = create;
  if (created !== undefined) {
    return <SigningSecret secret={created.secret} onClose={() => onCreated(created.webhook_id)} />;
  }
  return (
    <WebhookForm
      title="New webhook"
      action="Create webhook"
      {...(ruleIds !== undefined && { ruleIds })}
      busy={create.isPending}
      error={create.error}
      onSubmit={(choice) => create.mutate(choice)}
      onClose={onClose}
    />
  );
}

/** Null values are left out: no filter, no batching, no contract. */
const createFrom = ({ url, description, format, rule_ids, platforms, batch, wake }: Choice) =>
  client.webhooks.create({
    url,
    description,
    format,
    ...(rule_ids !== null && { rule_ids }),
    ...(platforms !== null && { platforms }),
    ...(batch !== null && { batch }),
    ...(wake !== null && { wake }),
  });
