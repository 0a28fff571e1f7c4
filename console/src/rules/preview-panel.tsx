/** Beside the editor: what the rule would have caught, how often, and where in the text. */
import { Telescope } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { Platform } from '../data/queries.ts';
import { EventExcerpt, EventSource } from '../event/event-body.tsx';
import { readEvent } from '../event/reading.ts';
import { Card } from '../ui/card.tsx';
import { cx } from '../ui/classes.ts';
import { Histogram } from '../ui/histogram.tsx';
import { figure } from '../ui/moment.ts';
import { PLATFORM_NAMES } from '../ui/platform-badge.tsx';
import { SkeletonRows } from '../ui/skeleton.tsx';
import { EmptyState, ErrorState } from '../ui/states.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { Time } from '../ui/time.tsx';
import { type Flags, PLATFORMS } from './draft.ts';
import { type Preview, type PreviewMatch, usePreview } from './use-preview.ts';

export interface PreviewPanelProps {
  /** Only those that are valid. */
  readonly texts: Partial<Record<Platform, string>>;
  readonly flags: Flags;
}

export function PreviewPanel({ texts, flags }: PreviewPanelProps) {
  const { data, error, isFetching, isPlaceholderData, refetch } = usePreview(texts, flags);
  const [chosen, setChosen] = useState<Platform>();
  const shown = PLATFORMS.filter((platform) => texts[platform] !== undefined);
  const platform = shown.find((one) => one === chosen) ?? shown[0];

  let content: ReactNode;
  if (platform === undefined) content = <NothingToTry />;
  else if (error !== null && data === undefined) content = <ErrorState error={error} onRetry={() => void refetch()} />;
  else {
    content = (
      <Tabs<Platform>
        label="Platforms"
        value={platform}
        onChange={setChosen}
        tabs={shown.map((name) => ({
          name,
          label: <TabLabel platform={name} preview={data?.platforms[name]} />,
          panel: <OnePreview platform={name} preview={data?.platforms[name]} />,
        }))}
      />
    );
  }
  return (
    <Card
      title="What it would have caught"
      flush
      aside={
        <span role="status" className={cx('transition-opacity', !(isFetching && isPlaceholderData) && 'opacity-0')}>
          {isFetching && isPlaceholderData ? 'Looking …' : ''}
        </span>
      }
    >
      {content}
    </Card>
  );
}

function NothingToTry() {
  return (
    <EmptyState icon={<Telescope aria-hidden className="size-5" />} title="Nothing to try yet">
      As soon as a text is a valid rule, it is tried here on the events that arrived lately.
    </EmptyState>
  );
}

function TabLabel({ platform, preview }: { platform: Platform; preview: Preview | undefined }) {
  return (
    <>
      {PLATFORM_NAMES[platform]}
      {preview !== undefined && <span className="tabular text-xs text-faint">{figure(preview.matched)}</span>}
    </>
  );
}

function OnePreview({ platform, preview }: { platform: Platform; preview: Preview | undefined }) {
  if (preview === undefined) return <SkeletonRows rows={4} label="Trying the rule" />;
  if (preview.events === 0) {
    return (
      <EmptyState title="No events have arrived lately">
        There is nothing to try the rule on yet. What arrives from now on is kept for this.
      </EmptyState>
    );
  }
  return (
    <div>
      <Figures preview={preview} />
      {preview.histogram !== undefined && (
        <div className="border-t px-3 pt-3 pb-2">
          <Histogram
            label="What it would have caught"
            columns={preview.histogram.map(({ at, matched }) => ({ at, count: matched }))}
            until={preview.to!}
          />
        </div>
      )}
      <ul
        aria-label="Recent events that match"
        className="max-h-[34rem] divide-y overflow-y-auto border-t"
        tabIndex={0}
      >
        {preview.matches.map((match) => (
          <Caught key={match.platform_post_id} platform={platform} match={match} />
        ))}
      </ul>
      {preview.matched === 0 && (
        <EmptyState title="It would have caught nothing">
          None of the recent events match. Paste one below to see which part of the rule is not met.
        </EmptyState>
      )}
    </div>
  );
}

function Figures({ preview: { matched, events, rate_per_day, basis, from } }: { preview: Preview }) {
  return (
    <>
      <dl className="grid grid-cols-3 divide-x">
        <Figure name="Matches" value={figure(matched)} />
        <Figure name="Of recent events" value={figure(events)} />
        <Figure name="A day, about" value={isLongEnough(from) ? rate(rate_per_day) : '–'} />
      </dl>
      {basis === 'existing_rules' && (
        <p className="border-t px-3 py-2 text-xs text-soft">Only what existing rules caught is known here.</p>
      )}
    </>
  );
}

/** From a few seconds nobody can tell a day. */
const isLongEnough = (from: string | null): boolean => from !== null && Date.now() - Date.parse(from) >= 60_000;

const rate = (perDay: number | undefined): string =>
  perDay === undefined ? '–' : figure(perDay >= 10 ? Math.round(perDay) : perDay);

function Figure({ name, value }: { name: string; value: string }) {
  return (
    <div className="flex min-w-0 flex-col-reverse px-3 py-2">
      <dt className="truncate text-xs text-faint">{name}</dt>
      <dd className="tabular text-lg font-semibold">{value}</dd>
    </div>
  );
}

function Caught({ platform, match }: { platform: Platform; match: PreviewMatch }) {
  const event = readEvent(platform, match.payload, match.highlights);
  return (
    <li className="px-3 py-2.5">
      <div className="mb-0.5 flex items-center justify-between gap-3 text-xs">
        <EventSource event={event} />
        <Time at={match.at} className="shrink-0 text-faint" />
      </div>
      <EventExcerpt event={event} />
    </li>
  );
}
