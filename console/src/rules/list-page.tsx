import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Plus, SearchX } from 'lucide-react';
import { useDeferredValue, useMemo, useState } from 'react';
import { type Rule, useRules, useStatus } from '../data/queries.ts';
import { Button, buttonClass } from '../ui/button.tsx';
import { SearchInput, Select } from '../ui/input.tsx';
import { counted, figure } from '../ui/moment.ts';
import { Page } from '../ui/page.tsx';
import { SkeletonRows } from '../ui/skeleton.tsx';
import { EmptyState, ErrorState } from '../ui/states.tsx';
import { findRules, ORDERS, type Order, type RuleFilter } from './find-rules.ts';
import { FirstRule } from './first-rule.tsx';
import { RuleList } from './rule-list.tsx';

export function RulesPage() {
  const { data: rules, error, refetch } = useRules();
  return (
    <Page
      title="Rules"
      about={<Summary rules={rules} />}
      actions={
        <Link to="/rules/new" search={{}} className={buttonClass('primary')}>
          <Plus aria-hidden className="size-3.5" />
          New rule
        </Link>
      }
    >
      {rules === undefined && error === null && (
        <div className="rounded-lg border bg-surface">
          <SkeletonRows rows={10} label="Loading rules" />
        </div>
      )}
      {rules === undefined && error !== null && <ErrorState error={error} onRetry={() => void refetch()} />}
      {rules?.length === 0 && <FirstRule />}
      {rules !== undefined && rules.length > 0 && <Found rules={rules} />}
    </Page>
  );
}

function Summary({ rules }: { rules: readonly Rule[] | undefined }) {
  const { data: status } = useStatus();
  const x = status?.platforms.x;
  if (rules === undefined) return <span aria-hidden>…</span>;
  const slots = x?.rule_limit == null ? '' : ` · ${figure(x.rules)} of ${counted(x.rule_limit, 'slot')} on X used`;
  return `${counted(rules.length, 'rule')}${slots}`;
}

const STATES = ['Active', 'Paused', 'Pending', 'Missing', 'Over budget', 'Failed'] as const;

function Found({ rules }: { rules: readonly Rule[] }) {
  const { search = '' } = useSearch({ from: '/inside/rules' });
  const navigate = useNavigate({ from: '/rules' });
  const [state, setState] = useState<RuleFilter['state']>('');
  const [order, setOrder] = useState<Order>('newest');
  // Typing stays fast while thousands of rules are searched.
  const wanted = useDeferredValue(search);
  const found = useMemo(() => findRules(rules, { search: wanted, state, order }), [rules, wanted, state, order]);
  const setSearch = (text: string) =>
    void navigate({ search: text === '' ? {} : { search: text }, replace: true, resetScroll: false });
  return (
    <>
      <search className="mb-3 flex flex-wrap gap-2">
        <SearchInput
          label="Search names, intents and texts"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
          className="min-w-52 flex-1"
        />
        <Select
          aria-label="State"
          value={state}
          onChange={(event) => setState(event.target.value as RuleFilter['state'])}
          className="min-w-32 flex-1 sm:flex-none"
        >
          <option value="">Any state</option>
          {STATES.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </Select>
        <Select
          aria-label="Order"
          value={order}
          onChange={(event) => setOrder(event.target.value as Order)}
          className="min-w-32 flex-1 sm:flex-none"
        >
          {Object.entries(ORDERS).map(([name, label]) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </Select>
      </search>
      <p aria-live="polite" className="sr-only">
        {counted(found.length, 'rule')} found
      </p>
      <div className="overflow-clip rounded-lg border bg-surface">
        {found.length > 0 ? (
          <RuleList rules={found} />
        ) : (
          <EmptyState
            icon={<SearchX aria-hidden className="size-5" />}
            title="No rules found"
            actions={
              <Button
                onClick={() => {
                  setSearch('');
                  setState('');
                }}
              >
                Show all
              </Button>
            }
          >
            The search covers names, intents, ids and rule texts.
          </EmptyState>
        )}
      </div>
    </>
  );
}
