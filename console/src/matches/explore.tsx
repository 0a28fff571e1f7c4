/** The feed with its filter, its chart and the open match beside it. */
import { useCallback, useEffect, useRef } from 'react';
import { type Match, useMatch, useStatus } from '../data/queries.ts';
import { cx } from '../ui/classes.ts';
import { Page } from '../ui/page.tsx';
import { Detail } from './detail.tsx';
import { ExportMenu } from './export-menu.tsx';
import { FeedContent, Waiting } from './feed-content.tsx';
import { FeedControls } from './feed-controls.tsx';
import { FeedList } from './feed-list.tsx';
import { type MatchesSearch, platformOf } from './filter.ts';
import { FilterBar, type FilterChange } from './filter-bar.tsx';
import { missingSpans } from './gaps.ts';
import { useRate } from './rating.tsx';
import { useShortcuts } from './shortcuts.ts';
import { useMatches } from './use-matches.ts';
import { useReading } from './use-reading.ts';
import { Volume } from './volume.tsx';

export interface ExploreProps {
  readonly title: string;
  readonly search: MatchesSearch;
  readonly openId: string | undefined;
  onChange(change: FilterChange): void;
  onOpen(match: Match | undefined): void;
}

export function Explore({ title, search, openId, onChange, onOpen }: ExploreProps) {
  const { filter, counts, view, feed, rows } = useMatches(search);
  const open = useOpenMatch(view.matches, openId);
  const release = useCallback(() => feed?.release(), [feed]);
  const reading = useReading({ rows, open: open.match, isOpen: openId !== undefined, onOpen, release });
  const rate = useRate();
  const textInput = useRef<HTMLInputElement>(null);
  const { data: status, dataUpdatedAt } = useStatus();
  const platform = platformOf(search.platform);

  useEffect(() => {
    if (reading.isHeld) feed?.hold();
    else feed?.release();
  }, [reading.isHeld, feed]);

  useShortcuts((shortcut) => {
    if (shortcut === 'search') return textInput.current?.focus();
    if (shortcut !== 'relevant' && shortcut !== 'irrelevant') return reading.run(shortcut);
    const match = reading.current();
    if (match !== undefined) rate(match, shortcut);
  });

  return (
    <Page
      title={title}
      actions={
        <>
          <FeedControls view={view} isPaused={reading.isPaused} onPause={reading.togglePause} />
          <ExportMenu filter={filter} />
        </>
      }
    >
      <FilterBar search={search} textInput={textInput} onChange={onChange} />
      <Volume
        input={counts}
        {...(filter.text !== undefined && { found: { matches: view.matches, isAll: view.older === 'none' } })}
        shaded={missingSpans(status, {
          now: dataUpdatedAt,
          ...(platform !== undefined && { platforms: [platform] }),
          ...(search.rule !== undefined && { ruleId: search.rule }),
        })}
        onSelect={(since, until) => onChange({ since, until })}
      />
      <div className={cx('items-start gap-4 lg:grid', openId !== undefined && 'lg:grid-cols-2')}>
        <div className="min-w-0 overflow-clip rounded-lg border bg-surface">
          <Waiting count={view.waiting} onShow={reading.showNewest} />
          <FeedContent
            view={view}
            isFiltered={Object.keys(search).length > 0}
            list={
              <FeedList
                rows={rows}
                older={view.older}
                searched={search.text}
                currentId={reading.currentId}
                openId={openId}
                onOpen={reading.openMatch}
                onOlder={() => void feed?.loadOlder()}
              />
            }
          />
        </div>
        {openId !== undefined && (
          <Detail
            matchId={openId}
            match={open.match}
            error={open.error}
            siblings={rows.find(({ matches }) => matches.some(({ id }) => id === openId))?.matches ?? []}
            searched={search.text}
            tab={reading.tab}
            onTab={reading.setTab}
            onOpen={reading.openMatch}
            onClose={reading.close}
          />
        )}
      </div>
    </Page>
  );
}

/** From the list, or asked for alone: the address may name a match that is not in the list. */
function useOpenMatch(listed: readonly Match[], openId: string | undefined) {
  const known = openId === undefined ? undefined : listed.find(({ id }) => id === openId);
  const { data, error } = useMatch(openId ?? '', { enabled: openId !== undefined && known === undefined });
  const isGone = data === null ? new Error('There is no such match. It may have been deleted, or be too old.') : null;
  return { match: known ?? data ?? undefined, error: known === undefined ? (error ?? isGone) : null };
}
