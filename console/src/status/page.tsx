/** How everything does: the server, each platform with its gaps and its cost, the sources, the webhooks, and rules that need a look. */
import { Link } from '@tanstack/react-router';
import { type Platform, type Status, useRules, useStatus, useWebhooks } from '../data/queries.ts';
import { AttentionCard } from '../home/attention-card.tsx';
import { useAttention } from '../home/use-attention.ts';
import { Badge } from '../ui/badge.tsx';
import { buttonClass } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Fact, Facts } from '../ui/facts.tsx';
import { Fold } from '../ui/fold.tsx';
import { counted, exactly, figure } from '../ui/moment.ts';
import { Page } from '../ui/page.tsx';
import { byServer } from '../ui/server-now.ts';
import { SkeletonRows } from '../ui/skeleton.tsx';
import { ErrorState } from '../ui/states.tsx';
import { Time } from '../ui/time.tsx';
import { WebhookTable } from '../webhooks/webhook-table.tsx';
import { PLANS } from '../words/access.ts';
import { NOT_READY_STATES, WARNINGS } from '../words/platform-states.ts';
import { lasting } from './health.ts';
import { PlatformCard } from './platform-card.tsx';
import { RuleLists } from './rule-lists.tsx';
import { Sources } from './sources.tsx';
import { TrafficCharts } from './traffic-charts.tsx';

const NAMES: readonly Platform[] = ['x', 'firehose'];

export function HealthPage() {
  const { data: status, dataUpdatedAt, error, refetch } = useStatus();
  const { data: rules } = useRules();
  const attention = useAttention();
  const at = byServer(dataUpdatedAt);
  return (
    <Page
      title="Health"
      actions={
        <Link to="/timeline" search={{}} className={buttonClass()}>
          What happened last night
        </Link>
      }
    >
      {status !== undefined ? (
        <div className="grid gap-4">
          <AttentionCard concerns={attention} error={error} onRetry={() => void refetch()} />
          {NAMES.map((name) => (
            <PlatformCard key={name} name={name} status={status} at={at} />
          ))}
          <Webhooks />
          <Sources status={status} />
          <RuleLists status={status} rules={rules} />
          <TrafficCharts status={status} at={at} />
          <Service status={status} />
        </div>
      ) : (
        <Card flush>
          {error === null ? <SkeletonRows rows={8} /> : <ErrorState error={error} onRetry={() => void refetch()} />}
        </Card>
      )}
    </Page>
  );
}

function Service({ status }: { status: Status }) {
  const { version, ready, account, instance } = status;
  return (
    <Card
      anchor="service"
      title="Service"
      aside={
        <Badge tone={ready ? 'ok' : 'bad'} dot>
          {ready ? 'Ready' : 'Not ready'}
        </Badge>
      }
    >
      {instance?.not_ready.map((code) => (
        <p key={code} className="mb-2 text-bad">
          {NOT_READY_STATES[code].about}
        </p>
      ))}
      {instance?.warnings.map((code) => (
        <p key={code} className="mb-2 text-warn">
          {WARNINGS[code].about}
        </p>
      ))}
      <p className="mb-1 text-soft">
        Sluice {version}
        {instance !== undefined && <>, up for {lasting(instance.uptime_seconds * 1_000)}</>}.
      </p>
      <Fold title="All figures">
        <Facts>
          <Fact name="Account">
            {account.name} <span className="text-faint">({PLANS[account.plan].words})</span>
          </Fact>
          {instance !== undefined && (
            <>
              <Fact name="Started">{exactly(instance.started_at)}</Fact>
              <Fact name="Events that wait to be matched">{figure(instance.queued_events)}</Fact>
              <Fact name="Matches not delivered yet">
                {figure(instance.owed.matches)}
                {instance.owed.oldest_at !== null && (
                  <span className="text-faint">
                    , the oldest <Time at={instance.owed.oldest_at} />
                  </span>
                )}
              </Fact>
            </>
          )}
        </Facts>
      </Fold>
    </Card>
  );
}

/** The paused webhooks: nothing tells of them above. There is nothing to show if none is. */
function Webhooks() {
  const { data: webhooks } = useWebhooks();
  const paused = webhooks?.filter(({ status }) => status === 'paused') ?? [];
  if (paused.length === 0) return null;
  return (
    <Card
      title="Paused webhooks"
      flush
      aside={
        <Link to="/connect" search={{ to: 'webhook' }} className="link">
          All {counted(webhooks!.length, 'webhook')}
        </Link>
      }
    >
      <WebhookTable webhooks={paused} />
    </Card>
  );
}
