/** The state of everything at a glance. */
import { Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useRules, useStatus } from '../data/queries.ts';
import { FirstRule } from '../rules/first-rule.tsx';
import { buttonClass } from '../ui/button.tsx';
import { Page } from '../ui/page.tsx';
import { ErrorState } from '../ui/states.tsx';
import { Figures } from './figures.tsx';
import { Platforms } from './platforms.tsx';
import { RuleLists } from './rule-lists.tsx';
import { TrafficCharts } from './traffic-charts.tsx';

export function OverviewPage() {
  const { data: status, dataUpdatedAt, error, refetch } = useStatus();
  const { data: rules } = useRules();
  const hasFailed = error !== null && status === undefined;
  return (
    <Page
      title="Overview"
      actions={
        <Link to="/rules/new" className={buttonClass('primary')}>
          <Plus aria-hidden className="size-4" />
          New rule
        </Link>
      }
    >
      {hasFailed ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : (
        <div className="grid gap-4">
          {rules?.length === 0 && <FirstRule />}
          <Figures status={status} rules={rules} />
          <TrafficCharts status={status} at={dataUpdatedAt} />
          <Platforms status={status} at={dataUpdatedAt} />
          <RuleLists status={status} rules={rules} />
        </div>
      )}
    </Page>
  );
}
