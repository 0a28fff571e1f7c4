/** The matches of a rule as they come and over time: gaps shaded, surges and silences tinted, versions thin lines. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { type Match, type Rule, useAlerts, useStatus } from '../data/queries.ts';
import { DensityChoice } from '../matches/density-choice.tsx';
import type { DetailTab } from '../matches/detail.tsx';
import { FeedContent, Waiting } from '../matches/feed-content.tsx';
import { FeedControls } from '../matches/feed-controls.tsx';
import { FeedList } from '../matches/feed-list.tsx';
import { missingSpans } from '../matches/gaps.ts';
import { useMatchDialogs } from '../matches/match-dialogs.tsx';
import { useRate } from '../matches/rating.tsx';
import { OF_A_RULE, useShortcuts } from '../matches/shortcuts.ts';
import { TimeFilter } from '../matches/time-filter.tsx';
import { useMatches } from '../matches/use-matches.ts';
import { isReadingShortcut, useReading } from '../matches/use-reading.ts';
import { Volume, VolumeFold } from '../matches/volume.tsx';
import { platformsOf } from '../rules/rule-state.ts';
import { CoverageReasons } from '../status/coverage-reasons.tsx';
import { byServer } from '../ui/server-now.ts';
import { MEDIUM, useMedia } from '../ui/use-media.ts';
import { AlertList } from './alert-list.tsx';
import { NoMatchesYet } from './no-matches-yet.tsx';
import { useVersions } from './use-versions.ts';

export function MatchesTab({ rule }: { rule: Rule }) {
  const { since, until } = useSearch({ from: '/inside/rules/$ruleId' });
  const search = { rule: rule.id, ...(since && { since }), ...(until && { until }) };
  const { counts, view, feed, rows } = useMatches(search);
  const { data: status, dataUpdatedAt } = useStatus();
  const now = byServer(dataUpdatedAt);
  const navigate = useNavigate();
  const versions = useVersions(rule);
  const isRoomy = useMedia(MEDIUM);
  const [chosenChart, setChart] = useState<boolean>();
  // On a phone the matches come first.
  const hasChart = chosenChart ?? isRoomy;
  const { act, dialog } = useMatchDialogs();
  const { data: alerts = [] } = useAlerts(rule.id);
  const marks = alerts.map(({ from, to }) => ({
    from: Date.parse(from),
    to: to === null ? now : Date.parse(to),
    isMark: true,
  }));
  const onOpen = (match: Match | undefined, tab: DetailTab = 'event') =>
    match !== undefined &&
    void navigate({
      to: '/matches/{-$matchId}',
      params: { matchId: match.id },
      search: { rule: rule.id, ...(tab !== 'event' && { tab }) },
    });
  const reading = useReading({ rows, open: undefined, isOpen: false, onOpen, release: () => feed?.release() });
  const setTime = (part: { since?: string | undefined; until?: string | undefined }) =>
    void navigate({
      to: '/rules/$ruleId',
      params: { ruleId: rule.id },
      search: { ...(part.since && { since: part.since }), ...(part.until && { until: part.until }) },
      resetScroll: false,
    });

  const showStory = ({ story_id: story }: Match) =>
    story !== null &&
    void navigate({ to: '/matches/{-$matchId}', params: {}, search: { rule: rule.id, story, view: 'single' } });

  const rate = useRate();
  useShortcuts((shortcut) => {
    if (isReadingShortcut(shortcut)) return reading.run(shortcut);
    const match = reading.current();
    if (match === undefined || shortcut === 'search') return;
    if (shortcut === 'relevant' || shortcut === 'irrelevant') rate(match, shortcut);
    else if (shortcut === 'story') showStory(match);
    else act(shortcut, match);
  });

  useEffect(() => {
    if (reading.isHeld) feed?.hold();
    else feed?.release();
  }, [reading.isHeld, feed]);

  return (
    <>
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <TimeFilter search={search} onChange={setTime} />
        <span className="max-lg:hidden">
          <DensityChoice />
        </span>
        {!isRoomy && <VolumeFold input={counts} isOpen={hasChart} onToggle={() => setChart(!hasChart)} />}
        <span className="flex-1" />
        <FeedControls view={view} isPaused={reading.isPaused} shortcuts={OF_A_RULE} onPause={reading.togglePause} />
      </div>
      <CoverageReasons
        isOfOne
        of={platformsOf(rule)}
        // Above it is said that the rule is paused. That it has a gap follows.
        reasons={view.reasons.filter((reason) => !rule.paused || (reason !== 'paused' && reason !== 'gap'))}
        className="mb-3"
      />
      {hasChart && (
        <Volume
          input={counts}
          shaded={[...marks, ...missingSpans(status, { platforms: platformsOf(rule), ruleId: rule.id, now })]}
          ticks={versions}
          onSelect={(from, to) => setTime({ since: from, until: to })}
        />
      )}
      <AlertList alerts={alerts} />
      <div className="min-w-0 overflow-clip rounded-lg border bg-surface">
        <Waiting count={view.waiting} onShow={reading.showNewest} />
        <FeedContent
          view={view}
          isFiltered={since !== undefined || until !== undefined}
          empty={<NoMatchesYet rule={rule} />}
          list={
            <FeedList
              rows={rows}
              older={view.older}
              isOfOne
              currentId={reading.currentId}
              openId={undefined}
              onOpen={reading.openMatch}
              onAct={act}
              onOlder={() => void feed?.loadOlder()}
            />
          }
        />
      </div>
      {dialog}
    </>
  );
}
