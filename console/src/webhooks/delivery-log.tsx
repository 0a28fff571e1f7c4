/** The log of a webhook: sent and pending deliveries with their attempts, and the buttons that redeliver. */
import { Link } from '@tanstack/react-router';
import { ChevronRight, RotateCw } from 'lucide-react';
import { useState } from 'react';
import { useChange } from '../data/change.ts';
import { client } from '../data/client.ts';
import { type Delivery, type DeliveryFilter, useDeliveries, useReadOnly, type Webhook } from '../data/queries.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { cx } from '../ui/classes.ts';
import { Select } from '../ui/input.tsx';
import { counted } from '../ui/moment.ts';
import { SkeletonRows } from '../ui/skeleton.tsx';
import { EmptyState, ErrorState } from '../ui/states.tsx';
import { Time } from '../ui/time.tsx';
import { toast } from '../ui/toast.tsx';
import { carriedWords, DELIVERY_STATES, NOTICES } from '../words/delivery.ts';
import { AttemptView } from './attempt-view.tsx';
import { RedeliverSince } from './redeliver-since.tsx';

interface DeliveryLogProps {
  readonly webhook: Pick<Webhook, 'id' | 'status'>;
  /** Deliveries to agents are sent again by their own rules alone. */
  readonly canSend?: boolean;
}

export function DeliveryLog({ webhook, canSend = true }: DeliveryLogProps) {
  const [status, setStatus] = useState<Delivery['status']>();
  const isReadOnly = useReadOnly();
  const filter: DeliveryFilter = { webhook_id: webhook.id, ...(status !== undefined && { status }) };
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useDeliveries(filter);
  const deliveries = data?.pages.flatMap((page) => page.deliveries);
  return (
    <Card
      title="Deliveries"
      flush
      aside={
        <>
          <Select
            aria-label="Delivery state"
            className="w-36"
            value={status ?? ''}
            onChange={({ target }) => setStatus((target.value || undefined) as Delivery['status'] | undefined)}
          >
            <option value="">All</option>
            {Object.entries(DELIVERY_STATES).map(([name, { words }]) => (
              <option key={name} value={name}>
                {words}
              </option>
            ))}
          </Select>
          {canSend && !isReadOnly && <RedeliverSince webhook={webhook} />}
        </>
      }
    >
      {error !== null && deliveries === undefined ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : deliveries === undefined ? (
        <SkeletonRows rows={4} />
      ) : deliveries.length === 0 ? (
        <EmptyState
          title={
            status === undefined ? 'No deliveries yet' : `No ${DELIVERY_STATES[status].words.toLowerCase()} deliveries`
          }
        >
          Deliveries appear here as matches arrive. Tests are not listed.
        </EmptyState>
      ) : (
        <ul className="divide-y">
          {deliveries.map((delivery) => (
            <DeliveryRow
              key={delivery.id}
              delivery={delivery}
              canSend={canSend && !isReadOnly && webhook.status !== 'disabled'}
            />
          ))}
        </ul>
      )}
      {hasNextPage && (
        <div className="flex justify-center border-t py-2">
          <Button look="quiet" size="small" busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Load older deliveries
          </Button>
        </div>
      )}
    </Card>
  );
}

function DeliveryRow({ delivery, canSend }: { delivery: Delivery; canSend: boolean }) {
  const [isOpen, setOpen] = useState(false);
  const { words, tone } = DELIVERY_STATES[delivery.status];
  const remark = delivery.attempts.at(-1)?.error ?? delivery.note;
  return (
    <li>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2">
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
          className="flex min-w-0 flex-1 flex-wrap items-center gap-x-3 gap-y-1 text-left"
        >
          <ChevronRight
            aria-hidden
            className={cx('size-4 shrink-0 text-faint transition-transform', isOpen && 'rotate-90')}
          />
          <span className="w-20">
            <Badge tone={tone} dot>
              {words}
            </Badge>
          </span>
          <span className="min-w-0 truncate sm:w-56">{carriedWords(delivery)}</span>
          <Time at={delivery.created_at} className="tabular w-16 text-soft" />
          <span className="min-w-0 truncate text-soft sm:flex-1 sm:basis-0">
            {counted(delivery.attempts.length, 'attempt')}
            {remark !== undefined && `. ${remark}`}
          </span>
        </button>
        {delivery.next_attempt_at !== null && (
          <span className="tabular text-xs text-faint">
            next attempt <Time at={delivery.next_attempt_at} ahead />
          </span>
        )}
        {canSend && <Redeliver delivery={delivery} />}
      </div>
      {isOpen && <Attempts delivery={delivery} />}
    </li>
  );
}

function Attempts({ delivery }: { delivery: Delivery }) {
  return (
    <div className="grid gap-3 border-t bg-sunken px-3 py-3 sm:pl-10">
      <p className="text-xs text-faint">
        <code className="font-mono break-all">{delivery.id}</code>
      </p>
      <p className="text-soft">{DELIVERY_STATES[delivery.status].about}</p>
      {delivery.notice !== undefined && <p className="text-soft">{NOTICES[delivery.notice].about}</p>}
      {delivery.first_match !== undefined && (
        <Link to="/matches/{-$matchId}" params={{ matchId: delivery.first_match.id }} className="link w-fit">
          {delivery.matches === 1 ? 'The match that it carries' : 'The first match that it carries'}
        </Link>
      )}
      {delivery.reason !== null && <p className="text-bad">{delivery.reason}</p>}
      {delivery.note !== undefined && <p className="text-warn">{delivery.note}</p>}
      {delivery.attempts.length === 0 && <p className="text-soft">No attempt yet.</p>}
      {delivery.attempts.toReversed().map((attempt) => (
        <AttemptView key={attempt.at} attempt={attempt} />
      ))}
    </div>
  );
}

function Redeliver({ delivery }: { delivery: Delivery }) {
  const redeliver = useChange(client.webhooks.redeliver, ['deliveries']);
  const isPending = delivery.status === 'pending';
  return (
    <Button
      size="small"
      look="quiet"
      icon={<RotateCw aria-hidden className="size-3.5" />}
      busy={redeliver.isPending}
      onClick={() =>
        redeliver.mutate(
          { webhook_id: delivery.webhook_id, delivery_id: delivery.id },
          {
            onSuccess: () => toast(isPending ? 'Sending it now.' : 'Redelivery started.'),
            onError: ({ message }) => toast(message, 'bad'),
          },
        )
      }
    >
      {isPending ? 'Try now' : 'Redeliver'}
    </Button>
  );
}
