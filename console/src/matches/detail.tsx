/** One match in full: the event, why it matched, its payload, and what can be done with it. */

import { X } from 'lucide-react';
import { useMemo } from 'react';
import { type Match, useExplanation } from '../data/queries.ts';
import { ExplanationTree } from '../event/explanation-tree.tsx';
import { Avatar, EventSource } from '../event/face.tsx';
import { type ReadEvent, readEvent } from '../event/reading.ts';
import { IconButton } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { RuleText } from '../ui/rule-text.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { ErrorState } from '../ui/states.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { useMedia, WIDE } from '../ui/use-media.ts';
import { MatchActions } from './match-actions.tsx';
import { MatchReading } from './match-reading.tsx';

const TABS = ['event', 'why', 'payload'] as const;
export type DetailTab = (typeof TABS)[number];

/** As the address names it. */
export const detailTabOf = (name: string | undefined): DetailTab => TABS.find((tab) => tab === name) ?? 'event';

export interface DetailProps {
  readonly matchId: string;
  /** It is undefined until it is loaded, and where there is none. */
  readonly match: Match | undefined;
  readonly error: Error | null;
  /** The matches of the same event by other rules, this one among them. */
  readonly siblings: readonly Match[];
  readonly searched: string | undefined;
  readonly tab: DetailTab;
  onTab(tab: DetailTab): void;
  onOpen(match: Match): void;
  onClose(): void;
}

/** Beside the feed on wide screens, in a dialog over it on narrow ones. */
export function Detail(props: DetailProps) {
  const { match, error, onClose } = props;
  const event = useMemo(() => match && readEvent(match.platform, match.payload, match.highlights, match.demo), [match]);
  const isWide = useMedia(WIDE);
  const content =
    match !== undefined && event !== undefined ? (
      <Loaded {...props} match={match} event={event} />
    ) : error === null ? (
      <div className="grid gap-2 p-3">
        <Skeleton className="h-5 w-56" />
        <Skeleton className="h-4 w-72" />
      </div>
    ) : (
      <ErrorState title="This match could not be shown" error={error} />
    );
  if (!isWide) {
    return (
      <Dialog open isLong title={match?.rule_name ?? 'Match'} onClose={onClose}>
        <div className="-mx-4 -my-3">{content}</div>
      </Dialog>
    );
  }
  return (
    <section
      aria-label="Match"
      className="sticky top-4 flex max-h-[calc(100dvh-2rem)] flex-col overflow-hidden rounded-lg border bg-surface"
    >
      <header className="flex items-center gap-2 border-b py-1.5 pr-1.5 pl-3">
        {event === undefined ? (
          <span className="text-soft">Match</span>
        ) : (
          <>
            <Avatar event={event} isSmall />
            <EventSource event={event} />
          </>
        )}
        <IconButton label="Close" size="small" className="ml-auto" onClick={onClose}>
          <X aria-hidden className="size-4" />
        </IconButton>
      </header>
      <div className="min-h-0 overflow-y-auto">{content}</div>
    </section>
  );
}

type LoadedProps = DetailProps & { readonly match: Match; readonly event: ReadEvent };

function Loaded({ match, event, siblings, searched, tab, onTab, onOpen }: LoadedProps) {
  return (
    <>
      <MatchActions match={match} />
      <Tabs<DetailTab>
        label="Views of the match"
        value={tab}
        onChange={onTab}
        tabs={[
          {
            name: 'event',
            label: match.platform === 'x' ? 'Post' : 'Page',
            panel: <MatchReading match={match} event={event} siblings={siblings} searched={searched} onOpen={onOpen} />,
          },
          { name: 'why', label: 'Why it matched', panel: <Why match={match} /> },
          { name: 'payload', label: 'Payload', panel: <RawPayload match={match} /> },
        ]}
      />
    </>
  );
}

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
        <RuleText text={data.value} />
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
