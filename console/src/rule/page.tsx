/** One rule: what it found, its text, what its matches say, where they go, and how it came to be. */
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { type ReactNode, useDeferredValue } from 'react';
import { type Rule, useReadOnly, useRule } from '../data/queries.ts';
import { RuleActions, RuleFacts } from '../rules/rule-actions.tsx';
import { RuleWaiting } from '../rules/rule-waiting.tsx';
import { Page } from '../ui/page.tsx';
import { DeliverTab } from './deliver-tab.tsx';
import { EditTab } from './edit-tab.tsx';
import { HistoryTab } from './history-tab.tsx';
import { InsightsTab } from './insights-tab.tsx';
import { MatchesTab } from './matches-tab.tsx';

const TABS = {
  matches: { label: 'Matches', show: (rule: Rule) => <MatchesTab rule={rule} /> },
  edit: { label: 'Edit', show: (rule: Rule) => <EditTab key={rule.id} rule={rule} /> },
  insights: { label: 'Insights', show: (rule: Rule) => <InsightsTab rule={rule} /> },
  deliver: { label: 'Deliver', show: (rule: Rule) => <DeliverTab rule={rule} /> },
  history: { label: 'History', show: (rule: Rule) => <HistoryTab rule={rule} /> },
} as const satisfies Record<string, { label: string; show(rule: Rule): ReactNode }>;
type TabName = keyof typeof TABS;

const tabOf = (name: string | undefined): TabName =>
  name !== undefined && Object.hasOwn(TABS, name) ? (name as TabName) : 'matches';

export function RulePage() {
  const { ruleId } = useParams({ from: '/inside/rules/$ruleId' });
  const { tab } = useSearch({ from: '/inside/rules/$ruleId' });
  const { data: rule, error, refetch } = useRule(ruleId);
  const readOnly = useReadOnly();
  // The view follows in parts: an answer of the server is drawn at a stretch, and with the view that would be felt.
  const viewed = useDeferredValue(rule);
  if (rule === undefined) return <RuleWaiting title="Rule" error={error} onRetry={() => void refetch()} />;
  const current = tabOf(tab);
  return (
    <Page
      title={rule.name}
      about={<RuleFacts rule={rule} />}
      actions={<RuleActions rule={rule} readOnly={readOnly} />}
      hasSmallActions
    >
      <nav aria-label="Views of the rule" className="fade-edges -mt-1 mb-4 flex gap-4 overflow-x-auto border-b">
        {(Object.keys(TABS) as TabName[]).map((name) => (
          <Link
            key={name}
            to="/rules/$ruleId"
            params={{ ruleId }}
            search={name === 'matches' ? {} : { tab: name }}
            aria-current={name === current ? 'page' : undefined}
            resetScroll={false}
            className="-mb-px flex h-9 items-center border-b-2 border-transparent font-medium whitespace-nowrap text-soft outline-offset-[-2px] hover:text-ink aria-[current=page]:border-accent aria-[current=page]:text-ink"
            activeOptions={{ exact: true }}
          >
            {TABS[name].label}
          </Link>
        ))}
      </nav>
      {viewed && TABS[current].show(viewed)}
    </Page>
  );
}
