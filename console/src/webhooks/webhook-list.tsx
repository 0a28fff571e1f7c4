/** All webhooks, and the way to a new one. */
import { useNavigate } from '@tanstack/react-router';
import { Plus, Webhook as WebhookIcon } from 'lucide-react';
import { useState } from 'react';
import { useReadOnly, useWebhooks } from '../data/queries.ts';
import { useKept } from '../data/undo.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { SkeletonRows } from '../ui/skeleton.tsx';
import { EmptyState, ErrorState } from '../ui/states.tsx';
import { CreateWebhook } from './create-webhook.tsx';
import { RECEIVERS, type Receiver } from './receivers.ts';
import { WebhookTable } from './webhook-table.tsx';

export function WebhookList() {
  const { data, error, refetch } = useWebhooks();
  const webhooks = useKept(data);
  const [making, setMaking] = useState<Receiver>();
  const isReadOnly = useReadOnly();
  const navigate = useNavigate();
  return (
    <>
      <div className="mb-3 flex flex-wrap items-start justify-between gap-3">
        <p className="max-w-2xl text-soft">
          A webhook sends matches to a URL of yours, a chat, an e-mail address or a message broker: those of all rules,
          or of the rules you choose. Requests are signed, and failed ones are retried for three days.
        </p>
        <Button
          look="primary"
          icon={<Plus aria-hidden className="size-4" />}
          obstacle={isReadOnly ? 'Your key is read only.' : undefined}
          onClick={() => setMaking(RECEIVERS[0])}
        >
          New webhook
        </Button>
      </div>
      {!isReadOnly && (
        <ul aria-label="Receivers" className="mb-3 flex flex-wrap gap-2">
          {RECEIVERS.slice(1).map((receiver) => (
            <li key={receiver.label}>
              <Button size="small" onClick={() => setMaking(receiver)}>
                {receiver.label}
              </Button>
            </li>
          ))}
        </ul>
      )}
      <Card flush>
        {error !== null && webhooks === undefined ? (
          <ErrorState error={error} onRetry={() => void refetch()} />
        ) : webhooks === undefined ? (
          <SkeletonRows rows={3} />
        ) : webhooks.length === 0 ? (
          <EmptyState icon={<WebhookIcon aria-hidden className="size-5" />} title="No webhooks yet">
            Create one for your own server, a chat, an e-mail address or a message broker. You can test it before the
            first match.
          </EmptyState>
        ) : (
          <WebhookTable webhooks={webhooks} />
        )}
      </Card>
      {making !== undefined && (
        <CreateWebhook
          receiver={making}
          onClose={() => setMaking(undefined)}
          onCreated={(webhookId) => void navigate({ to: '/connect/$webhookId', params: { webhookId } })}
        />
      )}
    </>
  );
}
