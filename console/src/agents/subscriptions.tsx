/** The subscriptions of agents, with the log of each and a button to end it. The card is absent while there is none. */
import { useState } from 'react';
import { useChange } from '../data/change.ts';
import { client } from '../data/client.ts';
import { type Subscription, useReadOnly, useRules, useSubscriptions } from '../data/queries.ts';
import { deleteLater, useKept } from '../data/undo.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Table, Td, Th } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { DeliveryLog } from '../webhooks/delivery-log.tsx';
import { SUBSCRIBED_EVENTS, subscriptionShown } from '../words/delivery.ts';

export function Subscriptions() {
  const subscriptions = useKept(useSubscriptions().data) ?? [];
  const [shownId, setShownId] = useState<string>();
  const shown = subscriptions.find(({ id }) => id === shownId);
  if (subscriptions.length === 0) return null;
  return (
    <>
      <Card flush title="Subscriptions of agents" className="mt-4">
        <Table label="Subscriptions of agents">
          <thead>
            <tr>
              <Th>Agent</Th>
              <Th>Event</Th>
              <Th>Status</Th>
              <Th>
                <span className="sr-only">Actions</span>
              </Th>
            </tr>
          </thead>
          <tbody>
            {subscriptions.map((one) => (
              <Row
                key={one.id}
                subscription={one}
                isShown={one.id === shownId}
                onShow={() => setShownId(one.id === shownId ? undefined : one.id)}
              />
            ))}
          </tbody>
        </Table>
      </Card>
      {shown !== undefined && (
        <div className="mt-4">
          <DeliveryLog webhook={{ id: shown.webhook_id, status: 'active' }} canSend={false} />
        </div>
      )}
    </>
  );
}

function Row(props: { readonly subscription: Subscription; readonly isShown: boolean; onShow(): void }) {
  const { subscription: one, isShown, onShow } = props;
  const isReadOnly = useReadOnly();
  const end = useChange(client.subscriptions.end, ['subscriptions']);
  const agent = one.agent ?? 'An agent that is gone';
  return (
    <tr className="last:[&>td]:border-0">
      <Td className="break-words">
        <span className="font-medium">{agent}</span>
        <span className="block text-xs break-all text-faint">{one.url}</span>
      </Td>
      <Td className="break-words">
        <span title={SUBSCRIBED_EVENTS[one.event].about}>{SUBSCRIBED_EVENTS[one.event].words}</span>
        <span className="block text-xs text-faint">
          <RuleOf id={one.arguments['rule_id']} />
        </span>
      </Td>
      <Td>
        <State subscription={one} />
      </Td>
      <Td className="text-right whitespace-nowrap">
        <Button size="small" look="quiet" aria-expanded={isShown} onClick={onShow}>
          {isShown ? 'Hide log' : 'Show log'}
        </Button>
        {!isReadOnly && one.status === 'active' && (
          <Button
            look="danger"
            size="small"
            aria-label={`End the subscription of ${agent}`}
            onClick={() =>
              deleteLater({
                id: one.id,
                words: `The subscription of ${agent} ends in ten seconds.`,
                failed: 'The subscription goes on',
                path: 'api.EndSubscription',
                input: { subscription_id: one.id },
                run: () => end.mutateAsync({ subscription_id: one.id }),
              })
            }
          >
            End
          </Button>
        )}
      </Td>
    </tr>
  );
}

function State({ subscription }: { readonly subscription: Subscription }) {
  const { status, reason, expires_at } = subscription;
  const { words, tone, about } = subscriptionShown(subscription);
  return (
    <>
      <Badge tone={tone}>{words}</Badge>
      <span className="block text-xs text-faint">
        {about} {status === 'ended' ? reason : <Until at={expires_at} />}
      </span>
    </>
  );
}

function Until({ at }: { readonly at: string }) {
  return (
    <>
      Until <Time at={at} ahead />.
    </>
  );
}

function RuleOf({ id }: { readonly id: unknown }) {
  const { data: rules = [] } = useRules();
  if (typeof id !== 'string') return 'All rules';
  return rules.find((rule) => rule.id === id)?.name ?? 'A deleted rule';
}
