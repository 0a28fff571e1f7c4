/** The concerns that need attention, one sentence and one button each; one green line when there is none. */
import { Link } from '@tanstack/react-router';
import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react';
import { useReadOnly } from '../data/queries.ts';
import { Named } from '../sources/named.tsx';
import { buttonClass } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { SkeletonRows } from '../ui/skeleton.tsx';
import { ErrorState } from '../ui/states.tsx';
import { Time } from '../ui/time.tsx';
import { TryNow, WaitingCount } from '../webhooks/try-now.tsx';
import type { Concern, Remedy } from './attention.ts';

const ICONS = {
  bad: <CircleAlert role="img" aria-label="Problem" className="mt-0.5 size-4 shrink-0 text-bad" />,
  warn: <TriangleAlert role="img" aria-label="Warning" className="mt-0.5 size-4 shrink-0 text-warn" />,
  neutral: <Info role="img" aria-label="Note" className="mt-0.5 size-4 shrink-0 text-faint" />,
} as const satisfies Record<Concern['tone'], unknown>;

export interface AttentionCardProps {
  /** It is undefined until everything that could be wrong is known. */
  readonly concerns: readonly Concern[] | undefined;
  readonly error: Error | null;
  onRetry(): void;
}

export function AttentionCard({ concerns, error, onRetry }: AttentionCardProps) {
  if (concerns === undefined && error !== null) return <ErrorState error={error} onRetry={onRetry} />;
  return (
    <Card title="Needs attention" flush>
      {concerns === undefined ? (
        <SkeletonRows rows={2} />
      ) : concerns.length === 0 && error !== null ? (
        <p className="px-3 py-3 text-soft">
          Whether something needs your attention is not known: the server cannot answer.
        </p>
      ) : concerns.length === 0 ? (
        <p className="flex items-center gap-2 px-3 py-3 text-ok">
          <CircleCheck aria-hidden className="size-4" />
          Nothing needs your attention.
        </p>
      ) : (
        <ul className="divide-y">
          {concerns.map((concern) => (
            <li key={concern.id} className="flex flex-wrap items-start gap-x-3 gap-y-2 px-3 py-2.5">
              {ICONS[concern.tone]}
              <p className="min-w-0 flex-1 basis-60 break-words">
                <Named words={concern.words} />
                {concern.since !== undefined && (
                  <span className="text-soft">
                    {' '}
                    It began <Time at={concern.since} />.
                  </span>
                )}
                {concern.remedy.kind === 'retry' && <WaitingCount webhook={concern.remedy.webhook} />}
              </p>
              <RemedyButton remedy={concern.remedy} />
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

const LOOK = buttonClass('plain', 'small');

function RemedyButton({ remedy }: { remedy: Remedy }) {
  const isReadOnly = useReadOnly();
  switch (remedy.kind) {
    case 'page':
      return (
        <Link to={remedy.to} search={remedy.to === '/connect' ? { to: 'events' } : {}} className={LOOK}>
          {remedy.label}
        </Link>
      );
    case 'health':
      return (
        <Link to="/health" hash={remedy.card} className={LOOK}>
          {remedy.label}
        </Link>
      );
    case 'timeline':
      return (
        <Link to="/timeline" search={{ since: remedy.from, until: remedy.to }} className={LOOK}>
          {remedy.label}
        </Link>
      );
    case 'rule':
      return (
        <Link
          to="/rules/$ruleId"
          params={{ ruleId: remedy.ruleId }}
          search={remedy.tab === undefined ? {} : { tab: remedy.tab }}
          className={LOOK}
        >
          {remedy.label}
        </Link>
      );
    case 'rules':
      return (
        <Link to="/rules" search={{ state: remedy.state }} className={LOOK}>
          {remedy.label}
        </Link>
      );
    case 'webhook':
      return (
        <Link to="/connect/$webhookId" params={{ webhookId: remedy.webhookId }} className={LOOK}>
          {remedy.label}
        </Link>
      );
    case 'retry':
      return isReadOnly ? (
        <Link to="/connect/$webhookId" params={{ webhookId: remedy.webhook.id }} className={LOOK}>
          Open
        </Link>
      ) : (
        <TryNow webhook={remedy.webhook} />
      );
  }
}
