/** How events get into Sluice: what feeds each platform now, and how to add more. */
import { Link } from '@tanstack/react-router';
import { type Platform, useStatus } from '../data/queries.ts';
import { CoverageReasons } from '../status/coverage-reasons.tsx';
import { platformHealth } from '../status/health.ts';
import { Badge } from '../ui/badge.tsx';
import { buttonClass } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { PlatformBadge } from '../ui/platform-badge.tsx';
import { SkeletonRows } from '../ui/skeleton.tsx';

const NAMES: readonly Platform[] = ['x', 'firehose'];

export function EventsIn() {
  const { data: status } = useStatus();
  return (
    <div className="grid gap-4">
      <Card title="What feeds each platform now" flush>
        {status === undefined ? (
          <SkeletonRows rows={2} />
        ) : (
          <ul className="divide-y">
            {NAMES.map((name) => {
              const platform = status.platforms[name];
              if (platform === undefined) return null;
              const { words, tone } = platformHealth(platform);
              return (
                <li key={name} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2.5">
                  <PlatformBadge platform={name} />
                  <Badge tone={tone} dot>
                    {words}
                  </Badge>
                  <CoverageReasons reasons={platform.coverage.reasons} />
                </li>
              );
            })}
          </ul>
        )}
      </Card>
      <Card
        title="Open sources, without any token"
        aside={
          <Link to="/sources" className={buttonClass('primary', 'small')}>
            Add a source
          </Link>
        }
      >
        <p className="text-soft">
          Feeds, accounts of Bluesky and Mastodon, and pages that you name are added under Sources, without a restart.
          Posts are seen by rules for X posts, pages by rules for web pages. For all accounts, the operator names
          streams such as <code className="font-mono">SLUICE_SOURCES=jetstream,hackernews</code> when the server starts.
        </p>
      </Card>
      <Card title="X and Firehose, with a token">
        <p className="text-soft">
          The operator puts the token of X into <code className="font-mono">SLUICE_X_BEARER_TOKEN</code> or that of
          Firehose into <code className="font-mono">SLUICE_FIREHOSE_TOKEN</code> and starts the server again. A token
          that is refused is replaced in the same place. Anyone with full access can send events in with a program: the
          tab Program shows how.
        </p>
      </Card>
    </div>
  );
}
