/** What waits for a webhook that fails, and the button that sends it at once. */
import { RotateCw } from 'lucide-react';
import { useChange } from '../data/change.ts';
import { client } from '../data/client.ts';
import { useDeliveries, type Webhook } from '../data/queries.ts';
import { Button } from '../ui/button.tsx';
import { counted, figure } from '../ui/moment.ts';
import { toast } from '../ui/toast.tsx';

/** Pending deliveries first: they wait for minutes or hours until their next attempt. */
export function TryNow({ webhook }: { webhook: Webhook }) {
  const retry = useChange(client.webhooks.redeliver, ['deliveries', 'webhooks']);
  return (
    <Button
      size="small"
      icon={<RotateCw aria-hidden className="size-3.5" />}
      busy={retry.isPending}
      onClick={() =>
        retry.mutate(
          { webhook_id: webhook.id, since: webhook.failing_since ?? webhook.created_at },
          {
            onSuccess: ({ deliveries }) => toast(`Sending ${counted(deliveries, 'delivery', 'deliveries')} now.`),
            onError: ({ message }) => toast(message, 'bad'),
          },
        )
      }
    >
      Try now
    </Button>
  );
}

/** How many deliveries wait, and what the receiver last answered. */
export function WaitingCount({ webhook }: { webhook: Webhook }) {
  const { data } = useDeliveries({ webhook_id: webhook.id, status: 'pending' });
  const page = data?.pages[0];
  if (page === undefined || page.deliveries.length === 0) return null;
  const { length } = page.deliveries;
  const many = page.next_cursor === undefined ? figure(length) : `${figure(length)} or more`;
  const error = page.deliveries.map(({ attempts }) => attempts.at(-1)?.error).find((one) => one != null);
  return (
    <span className="text-soft">
      {' '}
      {many} {length === 1 ? 'delivery waits' : 'deliveries wait'}.{error != null && ` The last answer: ${error}`}
    </span>
  );
}
