/** One match in full: the event, why it matched, and its payload. */
import { Link } from '@tanstack/react-router';
import { ExternalLink, X } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import { type Match, useExplanation } from '../data/queries.ts';
import { EventBody, EventSource } from '../event/event-body.tsx';
import { ExplanationTree } from '../event/explanation-tree.tsx';
import { type ReadEvent, readEvent } from '../event/reading.ts';
import { Badge } from '../ui/badge.tsx';
import { buttonClass, IconButton } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { exactly } from '../ui/moment.ts';
import { PLATFORM_NAMES } from '../ui/platform-badge.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { ErrorState } from '../ui/states.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { useMedia, WIDE } from '../ui/use-media.ts';

export type DetailTab = 'event' | 'why' | 'payload';

export interface DetailProps {
  readonly match: Match;
  readonly tab: DetailTab;
  onTab(tab: DetailTab): void;
  onClose(): void;
}

/** Beside the feed on wide screens, in a dialog over it on narrow ones. */
export function Detail(props: DetailProps) {
  const { match, onClose } = props;
  const event = useMemo(() => readEvent(match.platform, match.payload, match.highlights, match.demo), [match]);
  const isWide = useMedia(WIDE);
  if (!isWide) {
    return (
      <Dialog open title={match.rule_name} onClose={onClose}>
        <div className="-mx-4 -my-3">
          <DetailTabs {...props} event={event} />
        </div>
      </Dialog>
    );
  }
  return (
    <section
      aria-label="Match"
      className="sticky top-4 flex max-h-[calc(100dvh-2rem)] flex-col overflow-hidden rounded-lg border bg-surface"
    >
      <header className="flex items-center gap-2 border-b py-1.5 pr-1.5 pl-3">
        <EventSource event={event} />
        <IconButton label="Close" size="small" className="ml-auto" onClick={onClose}>
          <X aria-hidden className="size-4" />
        </IconButton>
      </header>
      <div className="min-h-0 overflow-y-auto">
        <DetailTabs {...props} event={event} />
      </div>
    </section>
  );
}

function DetailTabs({ match, tab, onTab, event }: DetailProps & { event: ReadEvent }) {
  return (
    <Tabs<DetailTab>
      label="Views of the match"
      value={tab}
      onChange={onTab}
      tabs={[
        {
          name: 'event',
          label: match.platform === 'x' ? 'Post' : 'Page',
          panel: <Reading match={match} event={event} />,
        },
        { name: 'why', label: 'Why it matched', panel: <Why match={match} /> },
        { name: 'payload', label: 'Payload', panel: <RawPayload match={match} /> },
      ]}
    />
  );
}

function Reading({ match, event }: { match: Match; event: ReadEvent }) {
  return (
    <div className="grid gap-4 p-3">
      <EventBody event={event} />
      {event.link !== undefined && (
        <a href={event.link} target="_blank" rel="noopener noreferrer nofollow" className={`${buttonClass()} w-fit`}>
          <ExternalLink aria-hidden className="size-3.5" />
          {match.platform === 'x' ? 'Open post' : 'Open page'}
        </a>
      )}
      <dl className="grid grid-cols-[6rem_minmax(0,1fr)] gap-x-3 gap-y-1.5 border-t pt-3">
        <Fact name="Rule">
          <Link to="/rules/$ruleId" params={{ ruleId: match.rule_id }} className="link break-words">
            {match.rule_name}
          </Link>{' '}
          <span className="text-faint">version {match.rule_version}</span>
        </Fact>
        <Fact name="Platform">
          {PLATFORM_NAMES[match.platform]} {event.isDemo && <Badge>demo</Badge>}
        </Fact>
        <Fact name="Matched">{exactly(match.created_at)}</Fact>
        {event.at !== undefined && <Fact name="Published">{spoken(event.at)}</Fact>}
        {event.language !== undefined && <Fact name="Language">{event.language}</Fact>}
        <Fact name="ID">
          <code className="font-mono text-xs break-all">{match.platform_post_id}</code>
        </Fact>
      </dl>
    </div>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-faint">{name}</dt>
      <dd className="min-w-0">{children}</dd>
    </>
  );
}

/** The time comes from the payload and may be malformed. */
const spoken = (at: string): string => (Number.isNaN(Date.parse(at)) ? at : exactly(at));

function Why({ match }: { match: Match }) {
  const { data, error, refetch } = useExplanation(match.id);
  if (error !== null)
    return <ErrorState title="The explanation could not be loaded" error={error} onRetry={() => void refetch()} />;
  if (data === undefined) {
    return (
      <div className="grid gap-2 p-3">
        <Skeleton className="h-4 w-40" />
        <Skeleton className="ml-6 h-4 w-56" />
        <Skeleton className="ml-6 h-4 w-48" />
      </div>
    );
  }
  return (
    <div className="grid gap-3 p-3">
      <pre className="rounded-md bg-sunken px-2.5 py-2 font-mono text-xs break-words whitespace-pre-wrap">
        {data.value}
      </pre>
      {data.rule_version !== data.explained_version && (
        <p className="text-warn">
          The rule has changed since this match. Version {data.rule_version} matched; this explanation is of version{' '}
          {data.explained_version}.
        </p>
      )}
      <ExplanationTree part={data.explanation} payload={match.payload} />
    </div>
  );
}

function RawPayload({ match }: { match: Match }) {
  const json = useMemo(() => JSON.stringify(match.payload, null, 2), [match]);
  return (
    <div className="grid gap-2 p-3">
      <div className="flex justify-end">
        <CopyButton text={json} label="Copy payload" />
      </div>
      <pre className="rounded-md bg-sunken px-2.5 py-2 font-mono text-xs break-words whitespace-pre-wrap">{json}</pre>
    </div>
  );
}
