/** The tab says who and what a rule finds, when, whether that is more than before, with which other rules, and what it costs. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { HeatMap } from '../chart/heat-map.tsx';
import { client } from '../data/client.ts';
import { useFacets } from '../data/explore-queries.ts';
import {
  type Counts,
  type Rule,
  useChanges,
  useMatchCounts,
  useReadOnly,
  useRules,
  useStatus,
} from '../data/queries.ts';
import { trendOf } from '../home/trend.ts';
import { basisOf } from '../matches/facet-lists.tsx';
import { FACET_LABELS, type FacetName, facetWords } from '../matches/facets.ts';
import { OverlapCard } from '../rules/overlap-card.tsx';
import { platformsOf } from '../rules/rule-state.ts';
import { money } from '../status/upstream-facts.tsx';
import { Card } from '../ui/card.tsx';
import { Fact, Facts } from '../ui/facts.tsx';
import { counted, figure } from '../ui/moment.ts';
import { PLATFORM_NAMES } from '../ui/platform-badge.tsx';
import { byServer, serverNow } from '../ui/server-now.ts';
import { SkeletonRows } from '../ui/skeleton.tsx';
import { ErrorState } from '../ui/states.tsx';
import { comparedWith, heatOf, topWords } from './insights.ts';
import { LastChange } from './last-change.tsx';
import { Suggestions } from './suggestions.tsx';

const READ = 500;
const DAYS = 30;
const DAY = 86_400_000;
/** In hours. */
const WEEK = 168;
const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const HOURS = Array.from({ length: 24 }, (_, at) => `${String(at).padStart(2, '0')}:00`);
const SHOWN_FACETS = ['author', 'domain', 'language'] as const satisfies readonly FacetName[];

export function InsightsTab({ rule }: { rule: Rule }) {
  const from = useMemo(() => new Date(Math.floor(serverNow() / 3_600_000) * 3_600_000 - DAYS * DAY).toISOString(), []);
  const { data: counts } = useMatchCounts({ rule_id: rule.id, interval: 'hour', from });
  const trend = useTrend(rule, counts?.counts);
  const { data: rules } = useRules();
  const others = useMemo(() => rules && comparedWith(rule.id, rules), [rule.id, rules]);
  return (
    <div className="grid gap-4">
      <LastChange rule={rule} />
      <Suggestions rule={rule} />
      <Card title="When" aside={`matches of the last ${DAYS} days, in your time zone`}>
        {counts === undefined ? (
          <SkeletonRows rows={3} />
        ) : (
          <HeatMap
            rows={WEEKDAYS}
            columns={HOURS.map((hour, at) => (at % 6 === 0 ? hour : ''))}
            heat={heatOf(counts.counts)}
            none="No matches in this time."
            wordsOf={(day, hour, count) => `${WEEKDAYS[day]} ${HOURS[hour]}: ${counted(count, 'match', 'matches')}`}
          />
        )}
        {trend !== undefined && <p className="mt-2">{trend}</p>}
      </Card>
      <Common rule={rule} />
      {others !== undefined && others.length > 1 && <OverlapCard ruleId={rule.id} ruleIds={others} />}
      <Cost rule={rule} />
    </div>
  );
}

/** Says nothing where the rule was another one in the two weeks: the last change is told of on its own. */
function useTrend(rule: Rule, counts: Counts['counts'] | undefined): string | undefined {
  const isReadOnly = useReadOnly();
  const { data: changes } = useChanges({ kind: 'rule', id: rule.id }, { enabled: !isReadOnly });
  const { data: status, dataUpdatedAt } = useStatus();
  const changed = changes?.pages[0]?.changes[0]?.at;
  if (status === undefined || counts === undefined || changed === undefined) return undefined;
  const since = Date.parse(changed);
  const now = byServer(dataUpdatedAt);
  return trendOf({ status, now, hours: WEEK, counts, rule: { platforms: platformsOf(rule), since } });
}

/** The names that the matches have in common. Each leads to its matches. */
function Common({ rule }: { rule: Rule }) {
  const { data: facets, error: facetsError, refetch: askFacets } = useFacets({ rule_id: rule.id });
  const {
    data: matches,
    error,
    refetch,
  } = useQuery({
    queryKey: ['matches', 'insights', rule.id],
    queryFn: ({ signal }) => client.matches.list({ rule_id: rule.id, limit: READ }, { signal }),
    select: (page) => page.matches,
  });
  const words = useMemo(() => matches && topWords(matches), [matches]);
  const failure = error ?? facetsError;
  if (failure !== null && (facets === undefined || matches === undefined))
    return <ErrorState error={failure} onRetry={() => void Promise.all([refetch(), askFacets()])} />;
  const isOfAll = matches !== undefined && matches.length === facets?.counted;
  return (
    <div className="grid items-start gap-4 sm:grid-cols-2 xl:grid-cols-4">
      {SHOWN_FACETS.map((name) => (
        <Top
          key={name}
          title={`${FACET_LABELS[name]}s`}
          rows={facets?.facets[name].map((row) => ({
            name: facetWords(name, row),
            count: row.matches,
            search: { rule: rule.id, [name]: row.value },
          }))}
        />
      ))}
      <Top
        title="Words"
        basis={
          matches === undefined || isOfAll
            ? ''
            : `The numbers count the newest ${counted(matches.length, 'match', 'matches')}.`
        }
        rows={words?.map(({ name, count }) => ({ name, count, search: { rule: rule.id, text: name } }))}
      />
      {facets !== undefined && <p className="-mt-2 text-xs text-faint sm:col-span-full">{basisOf(facets)}</p>}
    </div>
  );
}

interface TopRow {
  readonly name: string;
  readonly count: number;
  readonly search: Record<string, string>;
}

function Top({ title, basis = '', rows }: { title: string; basis?: string; rows: readonly TopRow[] | undefined }) {
  const most = rows?.[0]?.count ?? 1;
  return (
    <Card title={title} flush>
      {rows === undefined ? (
        <SkeletonRows rows={4} />
      ) : rows.length === 0 ? (
        <p className="px-3 py-4 text-soft">Nothing yet.</p>
      ) : (
        <ol className="py-1">
          {rows.map(({ name, count, search }) => (
            <li key={`${name} ${JSON.stringify(search)}`} className="relative flex justify-between gap-3 px-3 py-1">
              <span
                aria-hidden
                className="absolute inset-y-0.5 left-0 bg-accent-soft"
                style={{ width: `${(100 * count) / most}%` }}
              />
              <Link
                to="/matches/{-$matchId}"
                params={{}}
                search={search}
                className="relative min-w-0 truncate hover:text-accent"
              >
                <bdi>{name}</bdi>
              </Link>
              <span className="tabular relative text-soft">{figure(count)}</span>
            </li>
          ))}
        </ol>
      )}
      {basis !== '' && <p className="border-t px-3 py-1.5 text-xs text-faint">{basis}</p>}
    </Card>
  );
}

/** Shows what the rule used this month, and how well Sluice agrees with the upstream on it. */
function Cost({ rule }: { rule: Rule }) {
  const { data: status } = useStatus();
  const used = platformsOf(rule).flatMap((platform) => {
    const usage = status?.platforms[platform]?.usage;
    const own = usage?.rules.find(({ rule_id }) => rule_id === rule.id);
    const agreement = rule.platforms[platform]?.engine_agreement;
    return own === undefined && agreement === undefined
      ? []
      : [{ platform, own, agreement, month: usage?.month, currency: usage?.currency }];
  });
  if (used.length === 0) return null;
  return (
    <Card title="At the platform">
      {used.map(({ platform, own, agreement, month, currency }) => (
        <Facts key={platform}>
          <Fact name="Platform">{PLATFORM_NAMES[platform]}</Fact>
          {own !== undefined && (
            <>
              <Fact name={`Reads in ${month}`}>{figure(own.reads)}</Fact>
              <Fact name={`Cost in ${month}`}>{money({ currency }, own.cost)}</Fact>
            </>
          )}
          {agreement !== undefined && (
            <Fact name="Sluice and the platform agree">
              {figure(agreement.agreed)} of {figure(agreement.agreed + agreement.engine_only + agreement.upstream_only)}
            </Fact>
          )}
        </Facts>
      ))}
    </Card>
  );
}
