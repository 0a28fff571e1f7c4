/** The feed with its filter, its chart and the open match beside it. */
import { ListFilter } from 'lucide-react';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { FeedFilter } from '../data/feed-filter.ts';
import { type Match, useMatch, useStatus } from '../data/queries.ts';
import { CoverageReasons } from '../status/coverage-reasons.tsx';
import { Button } from '../ui/button.tsx';
import { cx } from '../ui/classes.ts';
import { counted } from '../ui/moment.ts';
import { Page } from '../ui/page.tsx';
import { Segments } from '../ui/segments.tsx';
import { byServer } from '../ui/server-now.ts';
import { ROOMY, useMedia } from '../ui/use-media.ts';
import type { EventRow } from './by-event.ts';
import { DensityChoice } from './density-choice.tsx';
import { Detail, type DetailTab } from './detail.tsx';
import { ExportMenu } from './export-menu.tsx';
import { FacetPanel } from './facet-panel.tsx';
import { FeedContent, Waiting } from './feed-content.tsx';
import { FeedControls } from './feed-controls.tsx';
import { FeedList } from './feed-list.tsx';
import { type FilterChange, FOR_STORIES, isFiltered, isSingle, type MatchesSearch, platformOf } from './filter.ts';
import { FilterBar } from './filter-bar.tsx';
import { missingSpans } from './gaps.ts';
import { useMatchDialogs } from './match-dialogs.tsx';
import { useRate } from './rating.tsx';
import { useShortcuts } from './shortcuts.ts';
import { type Story, type StoryFilter, useStories } from './stories.tsx';
import { Stories, type Unfolded, useUnfolded } from './story-explorer.tsx';
import { useMatches } from './use-matches.ts';
import { isReadingShortcut, useReading } from './use-reading.ts';
import { ViewsMenu } from './views-menu.tsx';
import { Volume, VolumeFold } from './volume.tsx';

const VIEWS = [
  { name: 'stories', label: 'Stories' },
  { name: 'single', label: 'Single matches' },
] as const;

export interface ExploreProps {
  readonly title: string;
  readonly search: MatchesSearch;
  readonly openId: string | undefined;
  onChange(change: FilterChange): void;
  readonly tab: DetailTab;
  onTab(tab: DetailTab): void;
  onOpen(match: Match | undefined, tab?: DetailTab): void;
}

export function Explore({ title, search, openId, tab, onChange, onTab, onOpen }: ExploreProps) {
  const { filter, counts, view, feed, rows } = useMatches(search);
  const single = isSingle(search);
  const [isHeld, setHeld] = useState(false);
  const stories = useStories(storyFilterOf(filter), { enabled: !single, isHeld });
  const [unfoldedId, setUnfolded] = useState<string>();
  const unfolded = useUnfolded(
    stories.stories?.find(({ id }) => id === unfoldedId),
    search.rule,
  );
  const shown = useMemo(
    () => (single ? rows : storyRows(stories.stories, unfolded)),
    [single, rows, stories.stories, unfolded],
  );
  const open = useOpenMatch([...view.matches, ...shown.map(({ lead }) => lead)], openId);
  const release = useCallback(() => feed?.release(), [feed]);
  const reading = useReading({ rows: shown, open: open.match, isOpen: openId !== undefined, onOpen, release });
  const rate = useRate();
  const { act, dialog } = useMatchDialogs();
  const textInput = useRef<HTMLInputElement>(null);
  const { data: status, dataUpdatedAt } = useStatus();
  const platform = platformOf(search.platform);
  const isRoomy = useMedia(ROOMY);
  const [hasChart, setChart] = useState(false);
  const [chosenFacets, setFacets] = useState<boolean>();
  // Beside the list there is room for them; above it they are shown when they are wanted.
  const hasFacets = chosenFacets ?? isRoomy;

  // Stories unfold in place; from single matches it is the filter.
  const showStory = ({ story_id: story }: Match) =>
    single ? onChange({ ...(story !== null && { story }) }) : unfold(story);
  const unfold = (id: string | null) => setUnfolded(id === unfoldedId || id === null ? undefined : id);

  useEffect(() => {
    if (reading.isHeld) feed?.hold();
    else feed?.release();
    setHeld(reading.isHeld);
  }, [reading.isHeld, feed]);
  // Whoever resumes sees what waited at once.
  const { refetch: loadStories } = stories;
  const hasWaited = !isHeld && stories.waiting > 0 && !stories.isLong;
  useEffect(() => {
    if (hasWaited) void loadStories();
  }, [hasWaited, loadStories]);

  useShortcuts((shortcut) => {
    if (shortcut === 'search') return textInput.current?.focus();
    const match = reading.current();
    if (isReadingShortcut(shortcut)) return reading.run(shortcut);
    if (match === undefined) return;
    if (shortcut === 'story') showStory(match);
    else if (shortcut === 'relevant' || shortcut === 'irrelevant') rate(match, shortcut);
    else act(shortcut, match);
  });

  return (
    <Page
      title={title}
      actions={
        <>
          <FeedControls view={view} isPaused={reading.isPaused} onPause={reading.togglePause} />
          <ViewsMenu search={search} />
          <ExportMenu filter={filter} />
        </>
      }
    >
      <FilterBar
        search={search}
        textInput={textInput}
        isOpen={hasFacets}
        onToggle={() => setFacets(!hasFacets)}
        onChange={onChange}
      />
      {/* A phone has them behind the button of the filters, too. */}
      <div className={cx('mb-3 flex flex-wrap items-center gap-2', !hasFacets && 'max-sm:hidden')}>
        <Segments<'stories' | 'single'>
          label="View"
          value={single ? 'single' : 'stories'}
          options={VIEWS}
          onChange={(name) => onChange(name === 'single' ? { view: 'single' } : FOR_STORIES)}
        />
        <DensityChoice />
        <Button
          size="small"
          look="quiet"
          className="max-lg:hidden"
          aria-expanded={hasFacets}
          icon={<ListFilter aria-hidden className="size-3.5" />}
          onClick={() => setFacets(!hasFacets)}
        >
          {hasFacets ? 'Hide filters' : 'Show filters'}
        </Button>
        {search.story !== undefined && <span className="text-soft">All matches of one story.</span>}
        <span className="flex-1" />
        <VolumeFold input={counts} isOpen={hasChart} onToggle={() => setChart(!hasChart)} />
      </div>
      {/* The state of the feed says demo already. */}
      <CoverageReasons
        isOfOne={search.rule !== undefined}
        reasons={view.reasons.filter((reason) => reason !== 'demo')}
        className="mb-3"
      />
      {hasChart && (
        <Volume
          input={counts}
          shaded={missingSpans(status, {
            now: byServer(dataUpdatedAt),
            ...(platform !== undefined && { platforms: [platform] }),
            ...(search.rule !== undefined && { ruleId: search.rule }),
          })}
          onSelect={(since, until) => onChange({ since, until })}
        />
      )}
      <div className={cx('grid items-start gap-4', columnsOf(hasFacets, openId !== undefined))}>
        {hasFacets && (
          <div className="min-w-0 lg:max-xl:col-span-full">
            <FacetPanel search={search} filter={filter} hasStories={!single} onChange={onChange} />
          </div>
        )}
        <div className="min-w-0 overflow-clip rounded-lg border bg-surface">
          {single ? (
            <>
              <Waiting count={view.waiting} onShow={reading.showNewest} />
              <FeedContent
                view={view}
                isFiltered={isFiltered(search)}
                list={
                  <FeedList
                    rows={rows}
                    older={view.older}
                    searched={search.text}
                    currentId={reading.currentId}
                    openId={openId}
                    onOpen={reading.openMatch}
                    onAct={act}
                    onOlder={() => void feed?.loadOlder()}
                  />
                }
              />
            </>
          ) : (
            <>
              <Waiting
                count={stories.waiting}
                words={`${counted(stories.waiting, 'story has', 'stories have')} new matches`}
                onShow={() => {
                  reading.showNewest();
                  void loadStories();
                }}
              />
              <Stories
                found={stories}
                isOfOneRule={search.rule !== undefined}
                currentId={reading.currentId}
                openId={openId}
                unfolded={unfolded}
                onOpen={reading.openMatch}
                onUnfold={({ id }) => unfold(id)}
                onAct={act}
              />
            </>
          )}
        </div>
        {openId !== undefined && (
          <Detail
            matchId={openId}
            match={open.match}
            error={open.error}
            siblings={rows.find(({ matches }) => matches.some(({ id }) => id === openId))?.matches ?? []}
            searched={search.text}
            tab={tab}
            onTab={onTab}
            onOpen={reading.openMatch}
            onClose={reading.close}
          />
        )}
      </div>
      {dialog}
    </Page>
  );
}

/** The facets, the list and the open match side by side, where there is room for them. */
function columnsOf(hasFacets: boolean, isOpen: boolean): string {
  if (hasFacets)
    return isOpen
      ? 'lg:grid-cols-2 xl:grid-cols-[13rem_minmax(0,1fr)_minmax(0,1fr)]'
      : 'xl:grid-cols-[13rem_minmax(0,1fr)]';
  return isOpen ? 'lg:grid-cols-2' : '';
}

const storyFilterOf = ({ rule_id, platform, since, until }: FeedFilter): StoryFilter => ({
  ...(rule_id !== undefined && { rule_id }),
  ...(platform !== undefined && { platform }),
  ...(since !== undefined && { since }),
  ...(until !== undefined && { until }),
});

/** The keyboard goes from story to story by their first matches, and through the matches of the one that is unfolded. */
const storyRows = (stories: readonly Story[] = [], unfolded?: Unfolded): EventRow[] =>
  stories.flatMap(({ id, first_match }) => [
    { lead: first_match, matches: [first_match] },
    ...(unfolded?.storyId === id ? (unfolded.rows ?? []) : []),
  ]);

/** From the list, or asked for alone: the address may name a match that is not in the list. */
function useOpenMatch(listed: readonly Match[], openId: string | undefined) {
  const known = openId === undefined ? undefined : listed.find(({ id }) => id === openId);
  const { data, error } = useMatch(openId ?? '', { enabled: openId !== undefined && known === undefined });
  const isGone = data === null ? new Error('There is no such match. It may have been deleted, or be too old.') : null;
  return { match: known ?? data ?? undefined, error: known === undefined ? (error ?? isGone) : null };
}
