/** Sends one match to a webhook, at once. A webhook that takes nothing now says why. */
import { Link, useNavigate } from '@tanstack/react-router';
import { Send } from 'lucide-react';
import { useState } from 'react';
import { useChange } from '../data/change.ts';
import { client } from '../data/client.ts';
import { type Match, useReadOnly, useWebhooks, type Webhook } from '../data/queries.ts';
import { Button, buttonClass } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { toast } from '../ui/toast.tsx';
import { nameOf } from '../webhooks/webhook-names.ts';
import { WebhookState } from '../webhooks/webhook-words.tsx';

export function SendMatch({ match }: { match: Match }) {
  const [isOpen, setOpen] = useState(false);
  const isReadOnly = useReadOnly();
  return (
    <>
      <Button
        size="small"
        icon={<Send aria-hidden className="size-3.5" />}
        obstacle={isReadOnly ? 'Your key is read only.' : undefined}
        onClick={() => setOpen(true)}
      >
        Send …
      </Button>
      {isOpen && <SendDialog match={match} onClose={() => setOpen(false)} />}
    </>
  );
}

function SendDialog({ match, onClose }: { match: Match; onClose(): void }) {
  const { data: webhooks } = useWebhooks();
  const send = useChange(client.matches.send, ['deliveries', 'webhooks']);
  const navigate = useNavigate();
  const run = (webhook: Webhook) =>
    send.mutate(
      { match_id: match.id, webhook_id: webhook.id },
      {
        onSuccess: () => {
          onClose();
          toast(`Queued for “${nameOf(webhook)}”.`, 'ok', {
            label: 'Show log',
            run: () => void navigate({ to: '/connect/$webhookId', params: { webhookId: webhook.id } }),
          });
        },
      },
    );
  return (
    <Dialog
      open
      title="Send this match to a webhook"
      about="It is sent at once, in the webhook’s format, whatever rules the webhook has."
      onClose={onClose}
    >
      {webhooks?.length === 0 && (
        <div className="grid justify-items-start gap-3">
          <p className="text-soft">There is no webhook yet.</p>
          <Link to="/connect" search={{ to: 'webhook' }} className={buttonClass('primary')}>
            New webhook
          </Link>
        </div>
      )}
      <ul className="divide-y">
        {webhooks?.map((webhook) => (
          <li key={webhook.id} className="flex flex-wrap items-center gap-2 py-2">
            <span className="min-w-0 flex-1 truncate font-medium">{nameOf(webhook)}</span>
            <WebhookState webhook={webhook} />
            <Button
              size="small"
              aria-label={`Send to ${nameOf(webhook)}`}
              busy={send.isPending}
              obstacle={obstacleOf(webhook)}
              onClick={() => run(webhook)}
            >
              Send
            </Button>
          </li>
        ))}
      </ul>
      {send.error !== null && (
        <p role="alert" className="mt-2 text-bad">
          {send.error.message}
        </p>
      )}
    </Dialog>
  );
}

const obstacleOf = ({ status }: Webhook): string | undefined =>
  status === 'active' ? undefined : `The webhook is ${status}. ${status === 'paused' ? 'Resume' : 'Enable'} it first.`;
