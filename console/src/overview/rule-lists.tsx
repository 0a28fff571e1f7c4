/** Three short lists of rules: the busiest, the silent and the slow ones. */
import { Link } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { type Rule, type Status, useMatchCounts } from '../data/queries.ts';
import { Card } from '../ui/card.tsx';
import { figure } from '../ui/moment.ts';
import { SkeletonRows } from '../ui/skeleton.tsx';
import { Sparkline } from '../ui/sparkline.tsx';
import { Time } from '../ui/time.tsx';
import { busiest, silent, slow } from './ranking.ts';

export function RuleLists({ status, rules }: { status: Status | undefined; rules: readonly Rule[] | undefined }) {
  return (
    <div className="grid gap-4 lg:grid-cols-3">
      <Card title="Busiest rules" aside="last 24 hours" flush>
        <Listed rules={rules && busiest(rules)} empty="No rule has matched anything yet.">
          {(rule) => <Activity ruleId={rule.id} />}
        </Listed>
      </Card>
      <Card title="Silent rules" aside="longest first" flush>
        <Listed rules={rules && silent(rules, Date.now())} empty="No rule has been silent for a day.">
          {(rule) => <Silence rule={rule} />}
        </Listed>
      </Card>
      <Card title="Slow rules" aside="evaluated for every event" flush>
        <Listed
          rules={rules && status && slow(rules, status)}
          empty="No rule is slow: each has a word that the index finds it by."
        >
          {(rule) => <span className="w-full text-xs text-faint">{rule.reason}</span>}
        </Listed>
      </Card>
    </div>
  );
}

interface ListedProps<Kind extends Rule> {
  readonly rules: readonly Kind[] | undefined;
  readonly empty: string;
  readonly children: (rule: Kind) => ReactNode;
}

function Listed<Kind extends Rule>({ rules, empty, children }: ListedProps<Kind>) {
  if (rules === undefined) return <SkeletonRows rows={3} />;
  if (rules.length === 0) return <p className="px-3 py-4 text-soft">{empty}</p>;
  return (
    <ul className="divide-y">
      {rules.map((rule) => (
        <li key={rule.id} className="flex min-h-10 flex-wrap items-center justify-between gap-x-3 px-3 py-1.5">
          <Link
            to="/rules/$ruleId"
            params={{ ruleId: rule.id }}
            className="max-w-[calc(100%-9rem)] truncate hover:text-accent"
          >
            {rule.name}
          </Link>
          {children(rule)}
        </li>
      ))}
    </ul>
  );
}

/** Shown until the numbers arrive. */
const NOTHING: readonly number[] = Array.from({ length: 24 }, () => 0);

function Activity({ ruleId }: { ruleId: string }) {
  const { data } = useMatchCounts(useMemo(() => ({ rule_id: ruleId, interval: 'hour' as const }), [ruleId]));
  const counts = data?.counts.map(({ count }) => count) ?? NOTHING;
  const total = counts.reduce((sum, count) => sum + count, 0);
  return (
    <span className="flex h-5 shrink-0 items-center gap-3">
      <span className="hidden sm:block lg:hidden xl:block">
        <Sparkline counts={counts} label="Last 24 hours" />
      </span>
      <span className="tabular w-10 text-right">{data === undefined ? '' : figure(total)}</span>
    </span>
  );
}

function Silence({ rule }: { rule: Rule }) {
  const last = Object.values(rule.platforms)
    .map(({ last_match_at }) => last_match_at)
    .filter((at) => at !== null)
    .toSorted()
    .at(-1);
  return (
    <span className="shrink-0 text-xs text-faint">
      {last === undefined ? 'never' : <Time at={last} className="tabular" />}
    </span>
  );
}
