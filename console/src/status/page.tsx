/** How everything does: the server, each platform with its gaps and its cost, the sources, the webhooks, and rules that need a look. */
import { Link } from '@tanstack/react-router';
import { type Platform, type Status, useRules, useStatus, useWebhooks } from '../data/queries.ts';
import { Badge } from '../ui/badge.tsx';
import { buttonClass } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Fact, Facts } from '../ui/facts.tsx';
import { counted, figure } from '../ui/moment.ts';
import { Page } from '../ui/page.tsx';
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
          <Service status={status} />
          <TrafficCharts status={status} at={dataUpdatedAt} />
          {NAMES.map((name) => (
            <PlatformCard key={name} name={name} status={status} at={dataUpdatedAt} />
          ))}
          <Sources status={status} />
          <Webhooks />
          <RuleLists status={status} rules={rules} />
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
      <Facts>
        <Fact name="Version">{version}</Fact>
        <Fact name="Account">
          {account.name} <span className="text-faint">({PLANS[account.plan].words})</span>
        </Fact>
        {instance !== undefined && (
          <>
            <Fact name="Started">
              <Time at={instance.started_at} />
            </Fact>
            <Fact name="Uptime">{lasting(instance.uptime_seconds * 1_000)}</Fact>
            <Fact name="Queued events">{figure(instance.queued_events)}</Fact>
            <Fact name="Matches that webhooks wait for">
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
    </Card>
  );
}

function Webhooks() {
  const { data: webhooks } = useWebhooks();
  const troubled = webhooks?.filter(({ status, failing_since }) => status !== 'active' || failing_since !== null);
  return (
    <Card
      title="Webhooks"
      flush
      aside={
        <Link to="/connect" search={{ to: 'webhook' }} className="link">
          All webhooks
        </Link>
      }
    >
      {troubled === undefined ? (
        <SkeletonRows rows={2} />
      ) : troubled.length === 0 ? (
        <p className="px-3 py-4 text-soft">
          {webhooks?.length === 0
            ? 'There are none.'
            : `${counted(webhooks!.length, 'webhook')}, none of them failing.`}
        </p>
      ) : (
        <WebhookTable webhooks={troubled} />
      )}
    </Card>
  );
}
