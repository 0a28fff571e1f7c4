/** The first page: what needs attention, what was found, and how much. */
import { lazy, Suspense } from 'react';
import { useRules, useStatus, useWebhooks } from '../data/queries.ts';
import { NewRuleLink } from '../rules/new-rule-link.tsx';
import { Page } from '../ui/page.tsx';
import { byServer } from '../ui/server-now.ts';
import { SkeletonRows } from '../ui/skeleton.tsx';
import { AttentionCard } from './attention-card.tsx';
import { useAttention } from './use-attention.ts';
import { VolumeCard } from './volume-card.tsx';

/** Only accounts without rules have it. */
const Question = lazy(() => import('../begin/question.tsx').then(({ Question: loaded }) => ({ default: loaded })));

/** The newest stories are loaded after the page. */
const Newest = lazy(() => import('./newest.tsx').then(({ Newest: loaded }) => ({ default: loaded })));

export function HomePage() {
  const { data: status, dataUpdatedAt, error: statusError, refetch: askStatus } = useStatus();
  const { data: rules, error: rulesError, refetch: askRules } = useRules();
  const { error: webhooksError, refetch: askWebhooks } = useWebhooks();
  return (
    <Page title="Home" actions={rules?.length === 0 ? undefined : <NewRuleLink />}>
      <div className="grid gap-4">
        {rules?.length === 0 && (
          <Suspense>
            <Question />
          </Suspense>
        )}
        <AttentionCard
          concerns={useAttention()}
          error={statusError ?? rulesError ?? webhooksError}
          onRetry={() => void Promise.all([askStatus(), askRules(), askWebhooks()])}
        />
        {rules?.length !== 0 && (
          <>
            <VolumeCard status={status} at={byServer(dataUpdatedAt)} />
            <Suspense fallback={<SkeletonRows rows={5} />}>
              <Newest />
            </Suspense>
          </>
        )}
      </div>
    </Page>
  );
}
