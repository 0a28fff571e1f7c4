/** Creates a webhook, then shows its signing secret once. */
import { useChange } from '../data/change.ts';
import { client } from '../data/client.ts';
import { FORMAT_HELP, type Receiver } from './receivers.ts';
import { SigningSecret } from './signing-secret.tsx';
import type { Choice } from './webhook-changes.ts';
import { WebhookForm } from './webhook-form.tsx';

export interface CreateWebhookProps {
  /** Chosen beforehand. */
  readonly ruleIds?: readonly string[];
  readonly receiver?: Receiver | undefined;
  onClose(): void;
  onCreated(webhookId: string): void;
}

export function CreateWebhook({ ruleIds, receiver, onClose, onCreated }: CreateWebhookProps) {
  const create = useChange(createFrom, ['webhooks']);
  const { data: created } = create;
  // The others take no signature: their webhook opens at once.
  if (created !== undefined && FORMAT_HELP[created.format].isSigned) {
    return <SigningSecret secret={created.secret} onClose={() => onCreated(created.webhook_id)} />;
  }
  return (
    <WebhookForm
      title="New webhook"
      action="Create webhook"
      {...(ruleIds !== undefined && { ruleIds })}
      receiver={receiver}
      busy={create.isPending}
      error={create.error}
      onSubmit={(choice) =>
        create.mutate(choice, {
          onSuccess({ webhook_id, format }) {
            if (!FORMAT_HELP[format].isSigned) onCreated(webhook_id);
          },
        })
      }
      onClose={onClose}
    />
  );
}

/** Null values are left out: no filter, no batching, no contract, the usual message. */
const createFrom = ({ credential, rule_ids, platforms, batch, wake, template, notices, ...choice }: Choice) =>
  client.webhooks.create({
    ...choice,
    ...(credential !== undefined && { credential }),
    ...(rule_ids !== null && { rule_ids }),
    ...(platforms !== null && { platforms }),
    ...(batch !== null && { batch }),
    ...(wake !== null && { wake }),
    ...(template !== null && { template }),
    ...(notices !== null && { notices }),
  });
