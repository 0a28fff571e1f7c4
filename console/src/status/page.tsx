/** The state of the service: the instance, each platform, and the sources. */
import { ExternalLink } from 'lucide-react';
import { type Platform, type Status, useStatus } from '../data/queries.ts';
import { Badge } from '../ui/badge.tsx';
import { buttonClass } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Fact, Facts } from '../ui/facts.tsx';
import { figure } from '../ui/moment.ts';
import { Page } from '../ui/page.tsx';
import { SkeletonRows } from '../ui/skeleton.tsx';
import { ErrorState } from '../ui/states.tsx';
import { Time } from '../ui/time.tsx';
import { lasting } from './health.ts';
import { PlatformCard } from './platform-card.tsx';
import { Sources } from './sources.tsx';

const NAMES: readonly Platform[] = ['x', 'firehose'];

export function StatusPage() {
  const { data: status, dataUpdatedAt, error, refetch } = useStatus();
  return (
    <Page
      title="Status"
      actions={
        <a href="./docs" target="_blank" rel="noopener" className={buttonClass()}>
          API docs
          <ExternalLink aria-hidden className="size-3.5" />
        </a>
      }
    >
      {status !== undefined ? (
        <div className="grid gap-4">
          <Service status={status} />
          {NAMES.map((name) => (
            <PlatformCard key={name} name={name} status={status} at={dataUpdatedAt} />
          ))}
          <Sources status={status} />
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
        <Badge tone={ready ? 'ok' : 'warn'} dot>
          {ready ? 'Ready' : 'Not ready'}
        </Badge>
      }
    >
      <Facts>
        <Fact name="Version">{version}</Fact>
        <Fact name="Account">
          {account.name} <span className="text-faint">({account.plan})</span>
        </Fact>
        {instance !== undefined && (
          <>
            <Fact name="Started">
              <Time at={instance.started_at} />
            </Fact>
            <Fact name="Uptime">{lasting(instance.uptime_seconds * 1_000)}</Fact>
            <Fact name="Queued events">{figure(instance.queued_events)}</Fact>
          </>
        )}
      </Facts>
    </Card>
  );
}
