/** Each platform's state, and its gaps of the last 24 hours. */
import { Link } from '@tanstack/react-router';
import type { Platform, Status } from '../data/queries.ts';
import { CoverageReasons } from '../status/coverage-reasons.tsx';
import { CoverageStrip } from '../status/coverage-strip.tsx';
import { coveredTime, platformHealth } from '../status/health.ts';
import { Badge } from '../ui/badge.tsx';
import { Card } from '../ui/card.tsx';
import { counted } from '../ui/moment.ts';
import { PlatformBadge } from '../ui/platform-badge.tsx';
import { Skeleton } from '../ui/skeleton.tsx';

const NAMES: readonly Platform[] = ['x', 'firehose'];

export function Platforms({ status, at }: { status: Status | undefined; at: number }) {
  return (
    <Card
      title="Platforms"
      flush
      aside={
        <Link to="/status" className="link">
          Details
        </Link>
      }
    >
      <ul className="divide-y">
        {NAMES.map((name) => (
          <li key={name} className="grid items-center gap-x-6 gap-y-2 px-3 py-3 md:grid-cols-[16rem_minmax(0,1fr)]">
            <State name={name} status={status} />
            {status === undefined ? (
              <Skeleton className="h-8 w-full" />
            ) : (
              <CoverageStrip gaps={status.platforms[name]?.gaps ?? []} now={at} covered={coveredTime(status, name)} />
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}

function State({ name, status }: { name: Platform; status: Status | undefined }) {
  const platform = status?.platforms[name];
  const health = platform && platformHealth(platform);
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <PlatformBadge platform={name} />
      {health === undefined ? (
        <Skeleton className="h-5 w-16" />
      ) : (
        <Badge tone={health.tone} dot>
          {health.words}
        </Badge>
      )}
      {platform !== undefined && (
        <span className="text-xs text-faint">
          {platform.shape === 'local' ? 'evaluated locally' : 'evaluated upstream'}, {counted(platform.rules, 'rule')}
        </span>
      )}
      {platform !== undefined && <CoverageReasons reasons={platform.coverage.reasons} />}
    </div>
  );
}
