/** Which rules find the same: a table of the busiest ones, and the pairs that have most in common. */
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { HeatMap } from '../chart/heat-map.tsx';
import { useOverlap } from '../data/explore-queries.ts';
import { type Overlap, useRules } from '../data/queries.ts';
import { Badge } from '../ui/badge.tsx';
import { Card } from '../ui/card.tsx';
import { counted, exactly, figure } from '../ui/moment.ts';
import { serverNow } from '../ui/server-now.ts';
import { SkeletonRows } from '../ui/skeleton.tsx';
import { isMuch, type OverlapPair, overlapPairs, overlapTable } from './overlap.ts';

const DAYS = 30;
const DAY = 86_400_000;
const MOST_PAIRS = 8;

export interface OverlapCardProps {
  /** Only pairs with this rule. */
  readonly ruleId?: string;
  /** Compared with each other. Without them the server takes the twenty busiest. */
  readonly ruleIds?: string[];
}

export function OverlapCard({ ruleId, ruleIds }: OverlapCardProps) {
  const from = useMemo(() => new Date(Math.floor(serverNow() / DAY) * DAY - DAYS * DAY).toISOString(), []);
  const { data, error } = useOverlap({ from, ...(ruleIds !== undefined && { rule_ids: ruleIds }) });
  const { data: rules } = useRules();
  const names = useMemo(() => new Map(rules?.map(({ id, name }) => [id, name])), [rules]);
  return (
    <Card
      title={ruleId === undefined ? 'Rules that find the same' : 'Other rules that find the same'}
      aside={data === undefined ? undefined : overlapBasis(data)}
      flush
    >
      {data === undefined ? (
        error === null ? (
          <SkeletonRows rows={3} />
        ) : (
          <p className="px-3 py-4 text-bad">{error.message}</p>
        )
      ) : (
        <OverlapView overlap={data} names={names} ruleId={ruleId} />
      )}
    </Card>
  );
}

export function overlapBasis({ complete, counted: count, counted_from }: Overlap): string {
  if (complete) return `events of the last ${DAYS} days`;
  return `the newest ${counted(count, 'match', 'matches')}${counted_from === null ? '' : `, from ${exactly(counted_from)} on`}`;
}

interface OverlapViewProps {
  readonly overlap: Overlap;
  readonly names: ReadonlyMap<string, string>;
  readonly ruleId: string | undefined;
}

export function OverlapView({ overlap, names, ruleId }: OverlapViewProps) {
  const pairs = overlapPairs(overlap).filter(({ a, b }) => ruleId === undefined || a === ruleId || b === ruleId);
  const nameOf = (id: string) => names.get(id) ?? 'A deleted rule';
  if (pairs.length === 0)
    return (
      <p className="px-3 py-4 text-soft">
        {ruleId === undefined ? 'No two rules matched the same event.' : 'No other rule matched the same events.'}
      </p>
    );
  const labels = overlap.rules.map(({ rule_id }, at) => `${at + 1} ${nameOf(rule_id)}`.slice(0, 22));
  return (
    <>
      {ruleId === undefined && (
        <div className="overflow-x-auto border-b p-3">
          <HeatMap
            rows={labels}
            columns={overlap.rules.map((_, at) => String(at + 1))}
            heat={overlapTable(overlap)}
            none="No two rules matched the same event."
            wordsOf={(row, column, value) =>
              `${nameOf(overlap.rules[row]!.rule_id)} and ${nameOf(overlap.rules[column]!.rule_id)}: ${counted(value, 'shared event')}`
            }
          />
        </div>
      )}
      <ul aria-label="Rules that share events" className="divide-y">
        {pairs.slice(0, MOST_PAIRS).map((pair) => (
          <PairRow key={`${pair.a} ${pair.b}`} pair={pair} ruleId={ruleId} nameOf={nameOf} />
        ))}
      </ul>
    </>
  );
}

interface PairRowProps {
  readonly pair: OverlapPair;
  readonly ruleId: string | undefined;
  nameOf(id: string): string;
}

function PairRow({ pair, ruleId, nameOf }: PairRowProps) {
  const ids = ruleId === undefined ? [pair.a, pair.b] : [pair.a === ruleId ? pair.b : pair.a];
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2">
      <span className="min-w-0 flex-1 basis-56">
        {ids.map((id, at) => (
          <span key={id}>
            {at > 0 && ' and '}
            <Link to="/rules/$ruleId" params={{ ruleId: id }} className="link break-words">
              {nameOf(id)}
            </Link>
          </span>
        ))}
      </span>
      <span className="tabular text-soft">
        {figure(pair.shared)} shared, {Math.round(100 * pair.share)} % of the smaller
      </span>
      {isMuch(pair) && <Badge tone="warn">One may do for both</Badge>}
    </li>
  );
}
