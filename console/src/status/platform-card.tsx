/** One platform: in full where something needs a look, otherwise one line that opens. Fields that the server leaves out are not shown. */
import { type Platform, type Status, useRules } from '../data/queries.ts';
import { Named } from '../sources/named.tsx';
import { Badge } from '../ui/badge.tsx';
import { Card, FoldedCard } from '../ui/card.tsx';
import { Fact, Facts } from '../ui/facts.tsx';
import { Fold } from '../ui/fold.tsx';
import { counted, exactly, figure } from '../ui/moment.ts';
import { PLATFORM_NAMES } from '../ui/platform-badge.tsx';
import { Table, Td, Th } from '../ui/table.tsx';
import { causeWords } from '../words/coverage.ts';
import { aboutPlatform, SHAPES } from '../words/platform-states.ts';
import { CoverageReasons } from './coverage-reasons.tsx';
import { CoverageStrip, coverageWords } from './coverage-strip.tsx';
import {
  coveredTime,
  endOf,
  type Gap,
  isUnremarkable,
  lasting,
  type PlatformStatus,
  platformHealth,
} from './health.ts';
import { UpstreamFacts, Usage } from './upstream-facts.tsx';

export function PlatformCard({ name, status, at }: { name: Platform; status: Status; at: number }) {
  const platform = status.platforms[name];
  if (platform === undefined) return null;
  const health = platformHealth(platform);
  const badge = (
    <Badge tone={health.tone} dot>
      {health.words}
    </Badge>
  );
  const inFull = <InFull name={name} platform={platform} status={status} at={at} />;
  if (!isUnremarkable(platform))
    return (
      <Card anchor={name} title={PLATFORM_NAMES[name]} aside={badge}>
        {inFull}
      </Card>
    );
  const strip = { gaps: gapsOfAll(platform), now: at, covered: coveredTime(status, name) };
  return (
    <FoldedCard
      anchor={name}
      title={PLATFORM_NAMES[name]}
      words={platform.coverage.reasons.includes('demo') ? 'made up by the demo' : coverageWords(strip)}
      aside={badge}
    >
      {inFull}
    </FoldedCard>
  );
}

/** Gaps of single rules say nothing about the platform. */
const gapsOfAll = ({ gaps }: PlatformStatus): Gap[] => gaps.filter(({ rule_id }) => rule_id === undefined);

interface InFullProps {
  readonly name: Platform;
  readonly platform: PlatformStatus;
  readonly status: Status;
  readonly at: number;
}

function InFull({ name, platform, status, at }: InFullProps) {
  const figures = status.instance?.platforms[name];
  return (
    <div className="grid gap-4">
      <div>
        <CoverageReasons of={[name]} reasons={platform.coverage.reasons} />
        <p className="text-xs text-soft">
          {aboutPlatform(platform)}
          {platform.reason !== undefined && <> The connection reports: {causeWords(platform.reason, name)}</>}
        </p>
      </div>
      <div>
        <h3 className="mb-1.5 text-xs text-faint">Coverage</h3>
        <CoverageStrip gaps={gapsOfAll(platform)} now={at} covered={coveredTime(status, name)} />
      </div>
      {platform.gaps.length > 0 && (
        <Fold title={gapTitle(platform.gaps)}>
          <GapTable name={name} gaps={platform.gaps} now={at} />
        </Fold>
      )}
      <Usage platform={platform} now={at} />
      <Fold title="All figures">
        <Facts>
          <Fact name="Rules are evaluated">{SHAPES[platform.shape].words}</Fact>
          <Fact name="Your rules, also the paused">
            {figure(platform.rules)}
            {platform.rule_limit !== null && <span className="text-faint"> of {figure(platform.rule_limit)}</span>}
          </Fact>
          <UpstreamFacts platform={platform} />
          {figures !== undefined && (
            <>
              <Fact name="Rules that run, of all accounts">{figure(figures.rules)}</Fact>
              <Fact name="Events per minute">{figure(figures.events_per_minute)}</Fact>
              <Fact name="Matches per minute">{figure(figures.matches_per_minute)}</Fact>
              <Fact name="Recent events for previews">
                {figure(figures.recent_events.events)} of {counted(figures.recent_events.limit, 'event')}
              </Fact>
            </>
          )}
        </Facts>
      </Fold>
    </div>
  );
}

function GapTable({ name, gaps, now }: { name: Platform; gaps: readonly Gap[]; now: number }) {
  const { data: rules } = useRules();
  const scopeOf = ({ rule_id, source }: Gap): string => {
    if (rule_id === undefined) return source === undefined ? 'All rules' : `Source ${source}`;
    return `Rule “${rules?.find(({ id }) => id === rule_id)?.name ?? 'deleted'}”`;
  };
  return (
    <Table label="Gaps">
      <thead>
        <tr>
          <Th>From</Th>
          <Th>Duration</Th>
          <Th>Affects</Th>
          <Th>Cause</Th>
          <Th>Outcome</Th>
        </tr>
      </thead>
      <tbody>
        {gaps.map((gap) => (
          <tr key={`${gap.from} ${gap.cause} ${gap.rule_id}`} className="last:[&>td]:border-0">
            <Td className="tabular whitespace-nowrap">{exactly(gap.from)}</Td>
            <Td className="tabular whitespace-nowrap">{lasting(endOf(gap, now) - Date.parse(gap.from))}</Td>
            <Td>
              <Named words={scopeOf(gap)} />
            </Td>
            <Td>
              <Named words={gapCause(gap, name)} />
            </Td>
            <Td>
              <Badge tone={gap.recovered ? 'ok' : 'bad'}>{fateOf(gap)}</Badge>
            </Td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

/** A rule that was not there, or was deleted and restored, is not watched meanwhile; that is nothing about the platform. */
const gapCause = ({ cause, rule_id }: Gap, platform: Platform): string =>
  rule_id !== undefined && cause === 'not_started'
    ? 'The rule was not watched in this time.'
    : causeWords(cause, platform);

/** The title says so if only single rules missed something: the strip above is of the platform. */
const gapTitle = (gaps: readonly Gap[]): string =>
  `${counted(gaps.length, 'gap')}${gaps.every(({ rule_id }) => rule_id !== undefined) ? ' of single rules' : ''}`;

const fateOf = ({ to, recovered }: Gap): string => (recovered ? 'recovered' : to === null ? 'open' : 'missing');
