/** Two short lists of rules: the silent and the slow ones. */
import { Link } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import type { Rule, Status } from '../data/queries.ts';
import { lastMatchOf } from '../rules/rule-state.ts';
import { Card } from '../ui/card.tsx';
import { cx } from '../ui/classes.ts';
import { serverNow } from '../ui/server-now.ts';
import { Time } from '../ui/time.tsx';
import { silent, slow } from './ranking.ts';

export function RuleLists({ status, rules }: { status: Status | undefined; rules: readonly Rule[] | undefined }) {
  // Both are asked anew with each status, of which there is one every few seconds.
  const quiet = useMemo(() => rules && silent(rules, serverNow()), [rules]);
  const slowest = useMemo(() => rules && status && slow(rules, status), [rules, status]);
  if (quiet === undefined || slowest === undefined) return null;
  return (
    <div className={cx('grid gap-4 empty:hidden', quiet.length > 0 && slowest.length > 0 && 'lg:grid-cols-2')}>
      {quiet.length > 0 && (
        <Card title="Rules without a match" aside="for a day or longer" flush>
          <Listed rules={quiet}>{(rule) => <Silence rule={rule} />}</Listed>
        </Card>
      )}
      {slowest.length > 0 && (
        <Card title="Slow rules" aside="checked against every event" flush>
          <Listed rules={slowest}>
            {(rule) => <span className="w-full text-xs text-faint">because {rule.reason}</span>}
          </Listed>
        </Card>
      )}
    </div>
  );
}

interface ListedProps<Kind extends Rule> {
  readonly rules: readonly Kind[];
  readonly children: (rule: Kind) => ReactNode;
}

function Listed<Kind extends Rule>({ rules, children }: ListedProps<Kind>) {
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

function Silence({ rule }: { rule: Rule }) {
  const last = lastMatchOf(rule);
  return (
    <span className="shrink-0 text-xs text-faint">
      {last === undefined ? 'never' : <Time at={last} className="tabular" />}
    </span>
  );
}
