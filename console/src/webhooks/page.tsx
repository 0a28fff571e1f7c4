/** The list of webhooks, or one webhook with its log. */
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Plus, Webhook as WebhookIcon } from 'lucide-react';
import { useState } from 'react';
import { useReadOnly, useWebhooks, type Webhook } from '../data/queries.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { cx } from '../ui/classes.ts';
import { Page } from '../ui/page.tsx';
import { SkeletonRows } from '../ui/skeleton.tsx';
import { EmptyState, ErrorState } from '../ui/states.tsx';
import { Table, Td, Th } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { CreateWebhook } from './create-webhook.tsx';
import { WebhookPage } from './webhook-page.tsx';
import { nameOf, WebhookState, wantsOf } from './webhook-words.tsx';

export function WebhooksPage() {
  const { webhook: id } = useSearch({ from: '/inside/webhooks' });
  const { data: webhooks, error, refetch } = useWebhooks();
  if (id === undefined || webhooks === undefined) {
    return <AllWebhooks webhooks={webhooks} error={error} onRetry={() => void refetch()} />;
  }
  const chosen = webhooks.find((webhook) => webhook.id === id);
  return chosen === undefined ? <Unknown /> : <WebhookPage key={chosen.id} webhook={chosen} />;
}

interface AllWebhooksProps {
  readonly webhooks: readonly Webhook[] | undefined;
  readonly error: Error | null;
  onRetry(): void;
}

function AllWebhooks({ webhooks, error, onRetry }: AllWebhooksProps) {
  const [isMaking, setMaking] = useState(false);
  const navigate = useNavigate();
  const make = (
    <Button look="primary" icon={<Plus aria-hidden className="size-4" />} onClick={() => setMaking(true)}>
      New webhook
    </Button>
  );
  return (
    <Page
      title="Webhooks"
      about="A webhook posts matches to a URL of yours: those of all rules, or of the rules you choose. Requests are signed, and failed ones are retried for three days."
      actions={useReadOnly() ? undefined : make}
    >
      <Card flush>
        {error !== null && webhooks === undefined ? (
          <ErrorState error={error} onRetry={onRetry} />
        ) : webhooks === undefined ? (
          <SkeletonRows rows={3} />
        ) : webhooks.length === 0 ? (
          <EmptyState icon={<WebhookIcon aria-hidden className="size-5" />} title="No webhooks yet">
            Create one for your own server, or for a channel in Slack or Discord. You can test it before the first
            match.
          </EmptyState>
        ) : (
          <WebhookTable webhooks={webhooks} />
        )}
      </Card>
      {isMaking && (
        <CreateWebhook
          onClose={() => setMaking(false)}
          onCreated={(webhook) => void navigate({ to: '/webhooks', search: { webhook } })}
        />
      )}
    </Page>
  );
}

/** Columns that narrow screens leave out. */
const ROOMY = 'hidden md:table-cell';

function WebhookTable({ webhooks }: { webhooks: readonly Webhook[] }) {
  return (
    <Table label="Webhooks">
      <thead>
        <tr>
          <Th>Webhook</Th>
          <Th>State</Th>
          <Th className={ROOMY}>Receives</Th>
          <Th className={ROOMY}>Created</Th>
        </tr>
      </thead>
      <tbody>
        {webhooks.map((webhook) => (
          <tr key={webhook.id} className="relative hover:bg-hover last:[&>td]:border-0">
            <Td className="max-w-48 sm:max-w-96">
              <Link
                to="/webhooks"
                search={{ webhook: webhook.id }}
                className="block truncate font-medium outline-offset-[-2px] after:absolute after:inset-0"
              >
                {nameOf(webhook)}
              </Link>
              <span className="block truncate font-mono text-xs text-faint">{webhook.url}</span>
            </Td>
            <Td>
              <WebhookState webhook={webhook} />
            </Td>
            <Td className={cx(ROOMY, 'min-w-40 text-soft')}>{wantsOf(webhook)}</Td>
            <Td className={cx(ROOMY, 'tabular whitespace-nowrap text-soft')}>
              <Time at={webhook.created_at} />
            </Td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

function Unknown() {
  return (
    <Page title="Webhooks">
      <Card>
        <EmptyState
          title="Webhook not found"
          actions={
            <Link to="/webhooks" className="link">
              All webhooks
            </Link>
          }
        >
          It may have been deleted.
        </EmptyState>
      </Card>
    </Page>
  );
}
