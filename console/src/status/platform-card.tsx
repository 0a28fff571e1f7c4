/** One platform in full. Fields that the server leaves out are not shown. */
import { Link } from '@tanstack/react-router';
import { type Platform, type Status, useRules } from '../data/queries.ts';
import { Badge } from '../ui/badge.tsx';
import { Card } from '../ui/card.tsx';
import { Fact, Facts } from '../ui/facts.tsx';
import { counted, exactly, figure } from '../ui/moment.ts';
import { PLATFORM_NAMES } from '../ui/platform-badge.tsx';
import { Table, Td, Th } from '../ui/table.tsx';
import { causeWords } from '../words/coverage.ts';
import { PLATFORM_STATES, SHAPES } from '../words/platform-states.ts';
import { CoverageReasons } from './coverage-reasons.tsx';
import { CoverageStrip } from './coverage-strip.tsx';
import { coveredTime, endOf, type Gap, lasting, type PlatformStatus, platformHealth } from './health.ts';
import { UpstreamFacts, Usage } from './upstream-facts.tsx';

export function PlatformCard({ name, status, at }: { name: Platform; status: Status; at: number }) {
  const platform = status.platforms[name];
  if (platform === undefined) return null;
  const figures = status.instance?.platforms[name];
  const health = platformHealth(platform);
  return (
    <Card
      title={PLATFORM_NAMES[name]}
      aside={
        <Badge tone={health.tone} dot>
          {health.words}
        </Badge>
      }
    >
      <div className="grid gap-4">
        <div>
          <CoverageReasons reasons={platform.coverage.reasons} />
          <p className="text-xs text-soft">
            {PLATFORM_STATES[platform.state].about}
            {platform.reason !== undefined && <> The connection reports: {causeWords(platform.reason)}</>}
          </p>
        </div>
        <Facts>
          <Fact name="Evaluated">{SHAPES[platform.shape].words}</Fact>
          <Fact name="Your rules, with paused ones">
            {figure(platform.rules)}
            {platform.rule_limit !== null && <span className="text-faint"> of {figure(platform.rule_limit)}</span>}
          </Fact>
          <UpstreamFacts platform={platform} />
          {figures !== undefined && (
            <>
              <Fact name="Running rules, all accounts">{figure(figures.rules)}</Fact>
              <Fact name="Events per minute">{figure(figures.events_per_minute)}</Fact>
              <Fact name="Matches per minute">{figure(figures.matches_per_minute)}</Fact>
              <Fact name="Kept for previews">
                {figure(figures.recent_events.events)} of {counted(figures.recent_events.limit, 'event')}
              </Fact>
            </>
          )}
        </Facts>
        <div>
          <h3 className="mb-1.5 text-xs text-faint">Coverage</h3>
          <CoverageStrip gaps={platform.gaps} now={at} covered={coveredTime(status, name)} />
        </div>
        {platform.gaps.length > 0 && <GapTable gaps={platform.gaps} now={at} />}
        <Usage platform={platform} now={at} />
        <SlowRules platform={platform} />
      </div>
    </Card>
  );
}

function GapTable({ gaps, now }: { gaps: readonly Gap[]; now: number }) {
  return (
    <Table label="Gaps">
      <thead>
        <tr>
          <Th>From</Th>
          <Th>Duration</Th>
          <Th>Cause</Th>
          <Th>Outcome</Th>
        </tr>
      </thead>
      <tbody>
        {gaps.map((gap) => (
          <tr key={`${gap.from} ${gap.cause}`} className="last:[&>td]:border-0">
            <Td className="tabular whitespace-nowrap">{exactly(gap.from)}</Td>
            <Td className="tabular whitespace-nowrap">{lasting(endOf(gap, now) - Date.parse(gap.from))}</Td>
            <Td>{causeWords(gap.cause)}</Td>
            <Td>
              <Badge tone={gap.recovered ? 'ok' : 'bad'}>{fateOf(gap)}</Badge>
            </Td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

const fateOf = ({ to, recovered }: Gap): string => (recovered ? 'recovered' : to === null ? 'open' : 'missing');

function SlowRules({ platform }: { platform: PlatformStatus }) {
  const { data: rules } = useRules();
  if (platform.slow_rules.length === 0) return null;
  const names = new Map(rules?.map(({ id, name }) => [id, name]));
  return (
    <div>
      <h3 className="mb-1.5 text-xs text-faint">Slow rules, evaluated for every event</h3>
      <ul className="grid gap-1">
        {platform.slow_rules.map(({ rule_id, reason }) => (
          <li key={rule_id}>
            <Link to="/rules/$ruleId" params={{ ruleId: rule_id }} className="link break-words">
              {names.get(rule_id) ?? rule_id}
            </Link>{' '}
            <span className="text-soft">{reason}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
