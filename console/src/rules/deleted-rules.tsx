/** Deleted rules that can still be restored, with their matches. */
import { Link } from '@tanstack/react-router';
import { ChevronLeft, Trash2 } from 'lucide-react';
import { useDeletedRules } from '../data/explore-queries.ts';
import { type Rule, useReadOnly } from '../data/queries.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { counted, exactly } from '../ui/moment.ts';
import { Page } from '../ui/page.tsx';
import { PlatformBadge } from '../ui/platform-badge.tsx';
import { SkeletonRows } from '../ui/skeleton.tsx';
import { EmptyState, ErrorState } from '../ui/states.tsx';
import { Time } from '../ui/time.tsx';
import { toast } from '../ui/toast.tsx';
import { matchesOf, platformsOf } from './rule-state.ts';
import { useRestoreRule } from './use-restore.ts';

export function DeletedRulesPage() {
  const { data: rules, error, refetch } = useDeletedRules();
  return (
    <Page
      title="Deleted rules"
      about={
        <Link to="/rules" search={{}} className="inline-flex items-center gap-1 hover:text-ink">
          <ChevronLeft aria-hidden className="size-3.5" />
          All rules
        </Link>
      }
    >
      <Card flush>
        {error !== null && rules === undefined ? (
          <ErrorState error={error} onRetry={() => void refetch()} />
        ) : rules === undefined ? (
          <SkeletonRows rows={3} />
        ) : rules.length === 0 ? (
          <EmptyState icon={<Trash2 aria-hidden className="size-5" />} title="No deleted rules">
            A deleted rule is listed here for seven days. After that it is gone, with its matches.
          </EmptyState>
        ) : (
          <ul aria-label="Deleted rules" className="divide-y">
            {rules.map((rule) => (
              <DeletedRow key={rule.id} rule={rule} />
            ))}
          </ul>
        )}
      </Card>
    </Page>
  );
}

function DeletedRow({ rule }: { rule: Rule }) {
  const restore = useRestoreRule();
  const isReadOnly = useReadOnly();
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-3 py-2.5">
      <div className="min-w-0 flex-1 basis-60">
        <p className="flex min-w-0 items-center gap-2">
          <bdi className="truncate font-medium">{rule.name}</bdi>
          {platformsOf(rule).map((platform) => (
            <PlatformBadge key={platform} platform={platform} short />
          ))}
        </p>
        <p className="text-xs text-soft">
          {rule.deleted_at !== undefined && (
            <>
              Deleted <Time at={rule.deleted_at} />, with {counted(matchesOf(rule), 'match', 'matches')}.{' '}
            </>
          )}
          {rule.restorable_until !== undefined && `Can be restored until ${exactly(rule.restorable_until)}.`}
        </p>
        {restore.error !== null && (
          <p role="alert" className="mt-1 text-xs text-bad">
            {restore.error.message}
          </p>
        )}
      </div>
      <Button
        size="small"
        aria-label={`Restore ${rule.name}`}
        busy={restore.isPending}
        obstacle={isReadOnly ? 'Your key is read only.' : undefined}
        onClick={() =>
          restore.mutate({ rule_id: rule.id }, { onSuccess: () => toast(`Rule “${rule.name}” restored.`) })
        }
      >
        Restore
      </Button>
    </li>
  );
}
