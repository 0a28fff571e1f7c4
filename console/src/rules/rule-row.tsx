import { memo } from 'react';
import type { Rule, Status } from '../data/queries.ts';
import { Badge } from '../ui/badge.tsx';
import { cx } from '../ui/classes.ts';
import { counted } from '../ui/moment.ts';
import { PlatformBadge } from '../ui/platform-badge.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { Sparkline } from '../ui/sparkline.tsx';
import { Time } from '../ui/time.tsx';
import { lastMatchOf, matchesOf, platformsOf, type RuleState, stateNow } from './rule-state.ts';

/** Fixed heights: a row's position is known without rendering the rows before it. */
export const ROW_HEIGHT = { wide: 57, narrow: 105 };

/** The columns of a wide row and of the heading. */
export const COLUMNS = 'lg:grid-cols-[minmax(0,1fr)_4.5rem_6.5rem_6.5rem_6.5rem]';

interface RuleRowProps {
  readonly rule: Rule;
  readonly shape: keyof typeof ROW_HEIGHT;
  /** It is undefined until it is loaded. */
  readonly status: Status | undefined;
  /** They are undefined until they are loaded. */
  readonly counts: readonly number[] | undefined;
  readonly isSelected: boolean;
  /** It is undefined where rules cannot be changed. */
  readonly onSelect: ((id: string, isRange: boolean) => void) | undefined;
}

/** Rendered again only when its rule changes, because scrolling renders whole screens of rows. */
export const RuleRow = memo(function RuleRow({ rule, shape, status, counts, isSelected, onSelect }: RuleRowProps) {
  const state = stateNow(rule, status);
  const last = lastMatchOf(rule);
  return (
    <div
      className={cx(
        'relative grid h-full grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-0.5 border-b px-3 py-2',
        isSelected ? 'bg-accent-soft' : 'hover:bg-hover',
        COLUMNS,
      )}
    >
      <div className="col-span-2 flex min-w-0 items-center gap-3 lg:col-span-1">
        {onSelect !== undefined && (
          // Around the box there is room for a finger: a click beside it must not open the rule.
          <label className="relative z-10 -my-2 -ml-3 flex self-stretch items-center py-2 pl-3 pr-1">
            <input
              type="checkbox"
              aria-label={`Select ${rule.name}`}
              checked={isSelected}
              onChange={({ nativeEvent }) =>
                onSelect(rule.id, 'shiftKey' in nativeEvent && nativeEvent.shiftKey === true)
              }
              className="size-4 accent-accent"
            />
          </label>
        )}
        <div className="min-w-0 flex-1">
          {/* A plain link: the router's own link preloads each target, which is too slow for thousands. */}
          <a
            href={`#/rules/${encodeURIComponent(rule.id)}`}
            // The link covers the whole row.
            className="block truncate font-medium after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:outline-offset-[-2px] focus-visible:after:outline-accent"
          >
            <bdi>{rule.name}</bdi>
          </a>
          <p className="truncate text-xs text-faint" title={rule.intent}>
            <bdi>{rule.intent === '' ? Object.values(rule.platforms)[0]?.translated_value : rule.intent}</bdi>
          </p>
        </div>
      </div>
      <div className={cx('flex items-center gap-3 lg:block', onSelect !== undefined && 'max-lg:pl-8')}>
        <span className="flex gap-2">
          {platformsOf(rule).map((platform) => (
            <PlatformBadge key={platform} platform={platform} short />
          ))}
        </span>
        {shape === 'narrow' && <StateBadge state={state} />}
      </div>
      {shape === 'wide' && (
        <div>
          <StateBadge state={state} />
        </div>
      )}
      <div className="justify-self-end lg:justify-self-start">
        {counts === undefined ? (
          <Skeleton className="h-5 w-[95px]" />
        ) : (
          <Sparkline counts={counts} label="Last 24 hours" />
        )}
      </div>
      <div
        className={cx(
          'col-span-2 flex justify-between gap-3 text-xs whitespace-nowrap text-soft lg:col-span-1 lg:block lg:text-right',
          onSelect !== undefined && 'max-lg:pl-8',
        )}
      >
        {last === undefined ? (
          <span className="text-faint">No match yet</span>
        ) : (
          <Time at={last} className="lg:block" />
        )}
        {last !== undefined && (
          <span className="tabular text-faint">{counted(matchesOf(rule), 'match', 'matches')}</span>
        )}
      </div>
    </div>
  );
});

function StateBadge({ state: { words, tone, reason } }: { state: RuleState }) {
  return (
    <Badge tone={tone} dot {...(reason !== undefined && { title: reason })}>
      {words}
    </Badge>
  );
}
