/** One webhook: its state, its actions and its log. */
import { Link, useParams } from '@tanstack/react-router';
import { ChevronLeft } from 'lucide-react';
import { useReadOnly, useRules, useWebhooks, type Webhook } from '../data/queries.ts';
import { useKept } from '../data/undo.ts';
import { Card } from '../ui/card.tsx';
import { Fact, Facts } from '../ui/facts.tsx';
import { exactly } from '../ui/moment.ts';
import { Page } from '../ui/page.tsx';
import { PLATFORM_NAMES } from '../ui/platform-badge.tsx';
import { SkeletonRows } from '../ui/skeleton.tsx';
import { EmptyState, ErrorState } from '../ui/states.tsx';
import { Time } from '../ui/time.tsx';
import { FORMATS, WEBHOOK_STATES, webhookShown } from '../words/delivery.ts';
import { DeliveryLog } from './delivery-log.tsx';
import { toldWords } from './notice-terms.ts';
import { StatsCard } from './stats-card.tsx';
import { TryNow, WaitingCount } from './try-now.tsx';
import { accountWords, wakeWords, windowWords } from './wake-words.ts';
import { WebhookActions } from './webhook-actions.tsx';
import { nameOf } from './webhook-names.ts';
import { WebhookState } from './webhook-words.tsx';

export function WebhookPage() {
  const { webhookId } = useParams({ from: '/inside/connect/$webhookId' });
  const { data, error, refetch } = useWebhooks();
  const webhook = useKept(data)?.find(({ id }) => id === webhookId);
  if (webhook !== undefined) return <OneWebhook key={webhook.id} webhook={webhook} />;
  return (
    <Page title="Webhook" about={<AllWebhooks />}>
      {data !== undefined ? (
        <EmptyState title="Webhook not found">It may have been deleted.</EmptyState>
      ) : error === null ? (
        <SkeletonRows rows={3} />
      ) : (
        <ErrorState error={error} onRetry={() => void refetch()} />
      )}
    </Page>
  );
}

function AllWebhooks() {
  return (
    <Link to="/connect" search={{ to: 'webhook' }} className="inline-flex items-center gap-1 hover:text-ink">
      <ChevronLeft aria-hidden className="size-3.5" />
      All webhooks
    </Link>
  );
}

function OneWebhook({ webhook }: { webhook: Webhook }) {
  const isReadOnly = useReadOnly();
  return (
    <Page
      title={nameOf(webhook)}
      about={<AllWebhooks />}
      actions={isReadOnly ? undefined : <WebhookActions webhook={webhook} />}
    >
      <div className="grid gap-4">
        <Card title="Webhook" aside={<WebhookState webhook={webhook} />}>
          <Trouble webhook={webhook} />
          <Facts>
            <Fact name="URL" wide>
              <code className="font-mono text-xs break-all">{webhook.url}</code>
            </Fact>
            <Fact name="Rules">
              <RuleNames ids={webhook.rule_ids} />
            </Fact>
            <Fact name="Platforms">
              {webhook.platforms?.map((name) => PLATFORM_NAMES[name]).join(', ') ?? 'All platforms'}
            </Fact>
            <Fact name="Format">{FORMATS[webhook.format].words}</Fact>
            <Fact name="When">{webhook.batch === null ? 'At once' : `Every ${webhook.batch.every}`}</Fact>
            <Fact name="Notifies of">{toldWords(webhook)}</Fact>
            {webhook.events.includes('match') && (
              <Fact name="Send">
                <span className="inline-block first-letter:uppercase">{wakeWords(webhook.wake)}</span>
              </Fact>
            )}
            {webhook.wake_account !== null && (
              <Fact name={windowWords(webhook.wake)}>{accountWords(webhook.wake_account)}</Fact>
            )}
            <Fact name="Created">
              <Time at={webhook.created_at} />
            </Fact>
          </Facts>
        </Card>
        <StatsCard webhookId={webhook.id} title="Success and latency" />
        <DeliveryLog webhook={webhook} />
      </div>
    </Page>
  );
}

function Trouble({ webhook }: { webhook: Webhook }) {
  const isReadOnly = useReadOnly();
  const { status, reason, failing_since, rules_gone } = webhook;
  if (status === 'disabled') {
    return (
      <p role="alert" className="mb-3 text-bad">
        {WEBHOOK_STATES.disabled.about} {reason ?? ''} When the receiver works again, click Enable, then “Redeliver
        since…” to send what it missed.
      </p>
    );
  }
  if (status === 'paused') return <p className="mb-3 text-warn">{WEBHOOK_STATES.paused.about}</p>;
  if (failing_since === null && rules_gone) return <p className="mb-3 text-warn">{webhookShown(webhook).about}</p>;
  if (failing_since === null) return null;
  return (
    <div className="mb-3 flex flex-wrap items-start gap-3">
      <p className="min-w-0 flex-1 basis-60 break-words text-bad">
        Every attempt has failed since {exactly(failing_since)}.
        <WaitingCount webhook={webhook} />
      </p>
      {!isReadOnly && <TryNow webhook={webhook} />}
    </div>
  );
}

const MOST_NAMED = 5;

function RuleNames({ ids }: { ids: readonly string[] | null }) {
  const { data: rules } = useRules();
  if (ids === null) return 'All rules';
  const names = new Map(rules?.map(({ id, name }) => [id, name]));
  return (
    <>
      {ids.slice(0, MOST_NAMED).map((id) => (
        <Link key={id} to="/rules/$ruleId" params={{ ruleId: id }} className="link block truncate">
          {names.get(id) ?? id}
        </Link>
      ))}
      {ids.length > MOST_NAMED && <span className="text-faint">and {ids.length - MOST_NAMED} more</span>}
    </>
  );
}
