/** The deliveries that wait for a webhook that fails, and the button that sends them at once. */
import { RotateCw } from 'lucide-react';
import { useChange } from '../data/change.ts';
import { client } from '../data/client.ts';
import { useDeliveries, type Webhook } from '../data/queries.ts';
import { Button } from '../ui/button.tsx';
import { counted, figure } from '../ui/moment.ts';
import { toast } from '../ui/toast.tsx';

const PAGE = 100;
/** More than this are sent by “Redeliver since…”, which is one request. */
const MOST = 1_000;

/** One by one: those that were delivered meanwhile are not sent twice. */
async function sendPending({ webhook_id }: { webhook_id: string }): Promise<number> {
  let sent = 0;
  let cursor: string | undefined;
  do {
    const page = await client.webhooks.deliveries({
      webhook_id,
      status: 'pending',
      limit: PAGE,
      ...(cursor !== undefined && { cursor }),
    });
    for (const { id } of page.deliveries) {
      await client.webhooks.redeliver({ webhook_id, delivery_id: id });
      sent++;
    }
    cursor = page.next_cursor;
  } while (cursor !== undefined && sent < MOST);
  return sent;
}

/** A delivery that waits does so for minutes or hours, until its next attempt. */
export function TryNow({ webhook }: { webhook: Webhook }) {
  const retry = useChange(sendPending, ['deliveries', 'webhooks']);
  return (
    <Button
      size="small"
      icon={<RotateCw aria-hidden className="size-3.5" />}
      busy={retry.isPending}
      onClick={() =>
        retry.mutate(
          { webhook_id: webhook.id },
          {
            onSuccess: (sent) =>
              toast(sent === 0 ? 'Nothing waits any more.' : `Sending ${counted(sent, 'delivery', 'deliveries')} now.`),
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
