import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { SearchX } from 'lucide-react';
import { useCallback, useDeferredValue, useMemo, useState } from 'react';
import { Question } from '../begin/question.tsx';
import { type Rule, useReadOnly, useRules, useStatus } from '../data/queries.ts';
import { Button, buttonClass } from '../ui/button.tsx';
import { SearchInput, Select } from '../ui/input.tsx';
import { counted, figure } from '../ui/moment.ts';
import { Page } from '../ui/page.tsx';
import { SkeletonRows } from '../ui/skeleton.tsx';
import { EmptyState, ErrorState } from '../ui/states.tsx';
import { useTyped } from '../ui/use-typed.ts';
import { RULE_STATES } from '../words/rules.ts';
import { findRules, ORDERS, type Order, type RuleFilter } from './find-rules.ts';
import { NewRuleLink } from './new-rule-link.tsx';
import { RuleList } from './rule-list.tsx';
import { NONE_SELECTED, selectedOf, toggled } from './selection.ts';
import { SelectionBar } from './selection-bar.tsx';

export function RulesPage() {
  const { data, error, refetch } = useRules();
  // Thousands of rules are drawn in parts, between which the page answers.
  const rules = useDeferredValue(data);
  return (
    <Page
      title="Rules"
      about={<Summary rules={rules} />}
      actions={
        <>
          <Link to="/rules/overlap" className={buttonClass('quiet')}>
            Compare
          </Link>
          <Link to="/rules/deleted" className={buttonClass('quiet')}>
            Deleted
          </Link>
          <NewRuleLink />
        </>
      }
    >
      {rules === undefined && error === null && (
        <div className="rounded-lg border bg-surface">
          <SkeletonRows rows={10} label="Loading rules" />
        </div>
      )}
      {rules === undefined && error !== null && <ErrorState error={error} onRetry={() => void refetch()} />}
      {rules?.length === 0 && <Question />}
      {rules !== undefined && rules.length > 0 && <Found rules={rules} />}
    </Page>
  );
}

function Summary({ rules }: { rules: readonly Rule[] | undefined }) {
  const { data: status } = useStatus();
  const x = status?.platforms.x;
  if (rules === undefined) return <span aria-hidden>…</span>;
  const slots = x?.rule_limit == null ? '' : ` · ${figure(x.rules)} of ${figure(x.rule_limit)} on X in use`;
  return `${counted(rules.length, 'rule')}${slots}`;
}

const isOneOf = <Name extends string>(table: Readonly<Record<Name, unknown>>, name: string | undefined): name is Name =>
  name !== undefined && Object.hasOwn(table, name);

function Found({ rules }: { rules: readonly Rule[] }) {
  const address = useSearch({ from: '/inside/rules' });
  const [search, setSearch] = useTyped(address.search ?? '');
  const navigate = useNavigate({ from: '/rules' });
  const state: RuleFilter['state'] = isOneOf(RULE_STATES, address.state) ? address.state : '';
  const order: Order = isOneOf(ORDERS, address.order) ? address.order : 'newest';
  // Typing stays fast while thousands of rules are searched.
  const wanted = useDeferredValue(search);
  const found = useMemo(() => findRules(rules, { search: wanted, state, order }), [rules, wanted, state, order]);
  const isReadOnly = useReadOnly();
  const [selection, setSelection] = useState(NONE_SELECTED);
  const select = useCallback(
    (id: string, isRange: boolean) =>
      setSelection((last) => toggled(last, id, { isRange, order: found.map((rule) => rule.id) })),
    [found],
  );
  const selected = useMemo(() => selectedOf(found, selection), [found, selection]);
  /** All of it is in the address, so that Back and a link lead to the same list. */
  const change = (part: { search?: string; state?: string; order?: string }) =>
    void navigate({ search: (last) => ({ ...last, ...part }), replace: true, resetScroll: false });
  const find = (part: { search: string; state?: string }) => {
    setSearch(part.search);
    change(part);
  };
  return (
    <>
      <search className="mb-3 flex flex-wrap gap-2">
        <SearchInput
          label="Search names, intents and texts"
          value={search}
          onChange={({ target }) => find({ search: target.value })}
          className="min-w-52 flex-1 max-sm:basis-full"
        />
        <Select
          aria-label="State"
          value={state}
          onChange={(event) => change({ state: event.target.value })}
          className="min-w-32 flex-1 sm:flex-none"
        >
          <option value="">Any state</option>
          {Object.entries(RULE_STATES).map(([name, { words }]) => (
            <option key={name} value={name}>
              {words}
            </option>
          ))}
        </Select>
        <Select
          aria-label="Order"
          value={order}
          onChange={(event) => change({ order: event.target.value })}
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
      {selected.length > 0 && <SelectionBar rules={selected} onClear={() => setSelection(NONE_SELECTED)} />}
      <div className="overflow-clip rounded-lg border bg-surface">
        {found.length > 0 ? (
          <RuleList
            rules={found}
            selected={selection.ids}
            onSelect={isReadOnly ? undefined : select}
            onSelectAll={(isWanted) =>
              setSelection(isWanted ? { ids: new Set(found.map(({ id }) => id)), anchor: undefined } : NONE_SELECTED)
            }
          />
        ) : (
          <EmptyState
            icon={<SearchX aria-hidden className="size-5" />}
            title="No rules found"
            actions={<Button onClick={() => find({ search: '', state: '' })}>Show all</Button>}
          >
            The search covers names, intents, ids and rule texts.
          </EmptyState>
        )}
      </div>
    </>
  );
}
