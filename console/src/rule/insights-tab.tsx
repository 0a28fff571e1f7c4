/** Who and what a rule finds, when, and what it costs: from its newest matches and from the counts of the last 30 days. */
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { client } from '../data/client.ts';
import { type Rule, useMatchCounts, useStatus } from '../data/queries.ts';
import { platformsOf } from '../rules/rule-state.ts';
import { Card } from '../ui/card.tsx';
import { Fact, Facts } from '../ui/facts.tsx';
import { counted, figure } from '../ui/moment.ts';
import { PLATFORM_NAMES } from '../ui/platform-badge.tsx';
import { SkeletonRows } from '../ui/skeleton.tsx';
import { ErrorState } from '../ui/states.tsx';
import { HeatMap } from './heat-map.tsx';
import { heatOf, type Ranked, topsOf } from './insights.ts';
import { Suggestions } from './suggestions.tsx';

const READ = 500;
const DAYS = 30;
const DAY = 86_400_000;

export function InsightsTab({ rule }: { rule: Rule }) {
  const from = useMemo(() => new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000 - DAYS * DAY).toISOString(), []);
  const { data: counts } = useMatchCounts({ rule_id: rule.id, interval: 'hour', from });
  const {
    data: matches,
    error,
    refetch,
  } = useQuery({
    queryKey: ['matches', 'insights', rule.id],
    queryFn: ({ signal }) => client.matches.list({ rule_id: rule.id, limit: READ }, { signal }),
    select: (page) => page.matches,
  });
  const tops = useMemo(() => matches && topsOf(matches), [matches]);
  if (error !== null) return <ErrorState error={error} onRetry={() => void refetch()} />;
  const basis = matches === undefined ? '' : `of the newest ${counted(matches.length, 'match', 'matches')}`;
  return (
    <div className="grid gap-4">
      <Suggestions rule={rule} />
      <Card title="When" aside={`matches of the last ${DAYS} days, in your time zone`}>
        {counts === undefined ? <SkeletonRows rows={3} /> : <HeatMap heat={heatOf(counts.counts)} />}
      </Card>
      <div className="grid gap-4 md:grid-cols-3">
        <Top title="Authors and sites" basis={basis} ranked={tops?.authors} />
        <Top title="Words" basis={basis} ranked={tops?.words} />
        <Top title="Languages" basis={basis} ranked={tops?.languages} />
      </div>
      <Cost rule={rule} />
    </div>
  );
}

function Top({ title, basis, ranked }: { title: string; basis: string; ranked: readonly Ranked[] | undefined }) {
  const most = ranked?.[0]?.count ?? 1;
  return (
    <Card title={title} flush>
      {ranked === undefined ? (
        <SkeletonRows rows={4} />
      ) : ranked.length === 0 ? (
        <p className="px-3 py-4 text-soft">Nothing yet.</p>
      ) : (
        <ol className="py-1">
          {ranked.map(({ name, count }) => (
            <li key={name} className="relative flex justify-between gap-3 px-3 py-1">
              <span
                aria-hidden
                className="absolute inset-y-0.5 left-0 bg-accent-soft"
                style={{ width: `${(100 * count) / most}%` }}
              />
              <bdi className="relative truncate">{name}</bdi>
              <span className="tabular relative text-soft">{figure(count)}</span>
            </li>
          ))}
        </ol>
      )}
      {basis !== '' && <p className="border-t px-3 py-1.5 text-xs text-faint">{basis}</p>}
    </Card>
  );
}

/** What the rule used this month, and how well Sluice agrees with the upstream on it. */
function Cost({ rule }: { rule: Rule }) {
  const { data: status } = useStatus();
  const used = platformsOf(rule).flatMap((platform) => {
    const usage = status?.platforms[platform]?.usage;
    const own = usage?.rules.find(({ rule_id }) => rule_id === rule.id);
    const agreement = rule.platforms[platform]?.engine_agreement;
    return own === undefined && agreement === undefined ? [] : [{ platform, own, agreement, month: usage?.month }];
  });
  if (used.length === 0) return null;
  return (
    <Card title="At the upstream">
      {used.map(({ platform, own, agreement, month }) => (
        <Facts key={platform}>
          <Fact name="Platform">{PLATFORM_NAMES[platform]}</Fact>
          {own !== undefined && (
            <>
              <Fact name={`Reads in ${month}`}>{figure(own.reads)}</Fact>
              <Fact name={`Cost in ${month}`}>{own.cost}</Fact>
            </>
          )}
          {agreement !== undefined && (
            <Fact name="Sluice and the upstream agree">
              {figure(agreement.agreed)} of {figure(agreement.agreed + agreement.engine_only + agreement.upstream_only)}
            </Fact>
          )}
        </Facts>
      ))}
    </Card>
  );
}
