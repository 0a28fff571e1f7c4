/** Beside the editor: which recent events the rule would have matched, how often, and where in the text. */
import { Telescope } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { Platform } from '../data/queries.ts';
import { EventExcerpt } from '../event/event-body.tsx';
import { EventSource } from '../event/face.tsx';
import { readEvent } from '../event/reading.ts';
import { Badge } from '../ui/badge.tsx';
import { Card } from '../ui/card.tsx';
import { cx } from '../ui/classes.ts';
import { Histogram } from '../ui/histogram.tsx';
import { figure } from '../ui/moment.ts';
import { PLATFORM_NAMES } from '../ui/platform-badge.tsx';
import { SkeletonRows } from '../ui/skeleton.tsx';
import { EmptyState, ErrorState } from '../ui/states.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { Time } from '../ui/time.tsx';
import { Difference } from './difference.tsx';
import { type Flags, PLATFORMS } from './draft.ts';
import { NearMisses } from './near-misses.tsx';
import { useLastValid } from './use-last-valid.ts';
import { type Preview, type PreviewMatch, usePreview } from './use-preview.ts';

export interface PreviewPanelProps {
  /** The valid texts. */
  readonly texts: Partial<Record<Platform, string>>;
  /** The texts that a fix is offered for, as they are with that fix. */
  readonly offered: Partial<Record<Platform, string>>;
  /** All texts, also those that are not valid now. */
  readonly written: Partial<Record<Platform, string>>;
  /** The texts that run now. */
  readonly saved: Partial<Record<Platform, string>> | undefined;
  readonly flags: Flags;
}

export function PreviewPanel({ texts: valid, offered, written, saved, flags }: PreviewPanelProps) {
  const texts = { ...useLastValid(valid, written), ...offered };
  const { data, error, isFetching, isPlaceholderData, refetch } = usePreview(texts, flags);
  const [chosen, setChosen] = useState<Platform>();
  const shown = PLATFORMS.filter((platform) => texts[platform] !== undefined);
  const isBehind = shown.some((platform) => valid[platform] === undefined);
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
          panel: (
            <div className={cx(valid[name] === undefined && 'bg-sunken grayscale')}>
              {valid[name] === undefined && <Judged text={texts[name] ?? ''} isOffered={offered[name] !== undefined} />}
              <Difference platform={name} before={saved?.[name]} after={texts[name] ?? ''} flags={flags} />
              <OnePreview platform={name} preview={data?.platforms[name]} value={texts[name] ?? ''} flags={flags} />
            </div>
          ),
        }))}
      />
    );
  }
  return (
    <Card
      title="What this rule would have matched"
      flush
      aside={
        <span role="status">
          {isFetching && isPlaceholderData ? 'Updating …' : isBehind ? 'Not of what is written' : ''}
        </span>
      }
    >
      {content}
    </Card>
  );
}

/** Which text the figures below are of, where it is not the one that is written. */
function Judged({ text, isOffered }: { text: string; isOffered: boolean }) {
  return (
    <p className="border-b px-3 py-2 text-xs text-soft">
      {isOffered ? 'Of the text with the offered fix:' : 'Of the last valid text:'}{' '}
      <code className="font-mono break-words text-ink">{text}</code>
    </p>
  );
}

function NothingToTry() {
  return (
    <EmptyState icon={<Telescope aria-hidden className="size-5" />} title="No preview yet">
      Once a text is a valid rule, this shows which recent events it matches.
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

interface OnePreviewProps {
  readonly platform: Platform;
  readonly preview: Preview | undefined;
  readonly value: string;
  readonly flags: Flags;
}

function OnePreview({ platform, preview, value, flags }: OnePreviewProps) {
  if (preview === undefined) return <SkeletonRows rows={4} label="Loading the preview" />;
  if (preview.events === 0) {
    return (
      <EmptyState title="No recent events">
        There are no events to try the rule on yet. The preview updates as events arrive.
      </EmptyState>
    );
  }
  return (
    <div>
      <Figures preview={preview} />
      {preview.histogram !== undefined && (
        <div className="border-t px-3 pt-3 pb-2">
          <Histogram
            label="What this rule would have matched"
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
        <>
          <EmptyState title="No recent event matches">
            Paste an event under “Why not?” to see which part of the rule it does not satisfy.
          </EmptyState>
          <NearMisses platform={platform} value={value} flags={flags} />
        </>
      )}
    </div>
  );
}

function Figures({ preview: { matched, events, rate_range, estimate } }: { preview: Preview }) {
  return (
    <>
      <dl className="grid grid-cols-3 divide-x">
        <Figure name="Matches" value={figure(matched)} />
        <Figure name="Recent events" value={figure(events)} />
        <Figure name="Estimated per day" value={rangeOf(rate_range)} />
      </dl>
      {estimate !== undefined && <p className="border-t px-3 py-2 text-xs text-soft">{sentence(estimate)}</p>}
    </>
  );
}

const rangeOf = (range: Preview['rate_range']): string => (range ? `${figure(range.low)}–${figure(range.high)}` : '–');

/** The figure stands above: only what it is judged by is said. */
function sentence(words: string): string {
  const basis = words
    .replace(/^(?!at most).* a day, (?=judged by)/, '')
    .replaceAll(/\d{4,}/g, (digits) => figure(Number(digits)));
  return `${basis.charAt(0).toUpperCase()}${basis.slice(1)}.`;
}

function Figure({ name, value }: { name: string; value: string }) {
  return (
    <div className="flex min-w-0 flex-col-reverse justify-end px-3 py-2">
      <dt className="text-xs text-faint">{name}</dt>
      <dd className="tabular text-lg font-semibold">{value}</dd>
    </div>
  );
}

export function Caught({ platform, match }: { platform: Platform; match: PreviewMatch }) {
  const event = readEvent(platform, match.payload, match.highlights, match.demo);
  return (
    <li className="px-3 py-2.5">
      <div className="mb-0.5 flex min-w-0 items-center gap-2 text-xs">
        <EventSource event={event} />
        {event.isDemo && <Badge>demo</Badge>}
        <Time at={match.at} className="ml-auto shrink-0 text-faint" />
      </div>
      <EventExcerpt event={event} />
    </li>
  );
}
