/** "Is this what you mean?": events that the draft catches and nearly misses, each to be said yes or no to. */
import { Check, X } from 'lucide-react';
import { EventExcerpt } from '../event/event-body.tsx';
import { EventSource } from '../event/face.tsx';
import { readEvent } from '../event/reading.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { PlatformBadge } from '../ui/platform-badge.tsx';
import { SkeletonRows } from '../ui/skeleton.tsx';
import { EmptyState } from '../ui/states.tsx';
import { Time } from '../ui/time.tsx';
import type { Trial, Verdict } from './trials.ts';

interface TrialListProps {
  /** It is undefined while trials are looked for. */
  readonly trials: readonly Trial[] | undefined;
  readonly verdicts: ReadonlyMap<string, Verdict>;
  readonly busy: boolean;
  onSay(id: string, verdict: Verdict): void;
}

export function TrialList({ trials, verdicts, busy, onSay }: TrialListProps) {
  return (
    <Card title="Is this what you mean?" flush aside={<span role="status">{busy ? 'Drafting …' : ''}</span>}>
      {trials === undefined && <SkeletonRows rows={5} label="Looking at recent events" />}
      {trials?.length === 0 && (
        <EmptyState title="Nothing like it has come lately">
          No recent event matches the draft or nearly does. You can create the rule: it catches what comes from then on.
        </EmptyState>
      )}
      {trials !== undefined && trials.length > 0 && (
        <>
          <p className="border-b px-3 py-2 text-soft">
            Recent posts and pages. Each yes or no changes the rule so that it fits; none is needed.
          </p>
          <ul aria-label="Examples" className="divide-y">
            {trials.map((trial) => (
              <TrialItem
                key={trial.id}
                trial={trial}
                verdict={verdicts.get(trial.id)}
                onSay={(verdict) => onSay(trial.id, verdict)}
              />
            ))}
          </ul>
        </>
      )}
    </Card>
  );
}

interface TrialItemProps {
  readonly trial: Trial;
  readonly verdict: Verdict | undefined;
  onSay(verdict: Verdict): void;
}

function TrialItem({ trial: { platform, found, lacks }, verdict, onSay }: TrialItemProps) {
  const event = readEvent(platform, found.payload, found.highlights, found.demo);
  return (
    <li className="grid gap-2 px-3 py-3 sm:grid-cols-[minmax(0,1fr)_auto] sm:items-center sm:gap-4 lg:grid-cols-1 xl:grid-cols-[minmax(0,1fr)_auto]">
      <div className="min-w-0">
        <div className="mb-1 flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1 text-xs">
          <Badge tone={lacks === undefined ? 'ok' : 'warn'}>{lacks === undefined ? 'Caught' : 'Nearly'}</Badge>
          <PlatformBadge platform={platform} short />
          <EventSource event={event} />
          {event.isDemo && <Badge>demo</Badge>}
          <Time at={found.at} className="text-faint" />
        </div>
        <EventExcerpt event={event} />
        {lacks !== undefined && (
          <p className="mt-1 text-xs text-soft">
            It lacks <code className="font-mono break-words">{lacks}</code>
          </p>
        )}
      </div>
      <div className="flex gap-2">
        <Button
          size="small"
          aria-pressed={verdict === 'yes'}
          icon={<Check aria-hidden className="size-3.5" />}
          className="aria-pressed:border-ok aria-pressed:bg-ok-soft aria-pressed:text-ok"
          onClick={() => onSay('yes')}
        >
          Yes
        </Button>
        <Button
          size="small"
          aria-pressed={verdict === 'no'}
          icon={<X aria-hidden className="size-3.5" />}
          className="aria-pressed:border-bad aria-pressed:bg-bad-soft aria-pressed:text-bad"
          onClick={() => onSay('no')}
        >
          No
        </Button>
      </div>
    </li>
  );
}
