/** The post or page of a match, and its facts. */
import { Link } from '@tanstack/react-router';
import { ExternalLink } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Match } from '../data/queries.ts';
import { EventBody } from '../event/event-body.tsx';
import type { ReadEvent } from '../event/reading.ts';
import { Badge } from '../ui/badge.tsx';
import { buttonClass } from '../ui/button.tsx';
import { exactly } from '../ui/moment.ts';
import { PLATFORM_NAMES } from '../ui/platform-badge.tsx';
import { facetWords, sourceWords } from './facets.ts';
import { relevanceWords } from './relevance-words.ts';

export interface MatchReadingProps {
  readonly match: Match;
  readonly event: ReadEvent;
  readonly siblings: readonly Match[];
  readonly searched: string | undefined;
  onOpen(match: Match): void;
}

export function MatchReading({ match, event, siblings, searched, onOpen }: MatchReadingProps) {
  const others = siblings.filter(({ id }) => id !== match.id);
  return (
    <div className="grid gap-4 p-3">
      <EventBody event={event} searched={searched} />
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
        {others.length > 0 && (
          <Fact name="Also matched">
            <span className="flex flex-wrap gap-1">
              {others.map((other) => (
                <button
                  key={other.id}
                  type="button"
                  onClick={() => onOpen(other)}
                  className="max-w-full truncate rounded-sm bg-hover px-1.5 text-xs leading-5 hover:text-accent"
                >
                  {other.rule_name}
                </button>
              ))}
            </span>
          </Fact>
        )}
        {match.story_id !== null && (
          <Fact name="Story">
            <Link to="/matches/{-$matchId}" params={{}} search={{ story: match.story_id }} className="link">
              All matches of this story
            </Link>{' '}
            <span className="text-faint">{match.story_first ? 'this is the first' : 'others were first'}</span>
          </Fact>
        )}
        {match.relevance !== null && <Fact name="Relevance">{relevanceWords(match)}</Fact>}
        {match.judged !== undefined && (
          <Fact name="Judge">
            {match.judged.relevant ? 'relevant' : 'irrelevant'}{' '}
            <span className="text-faint">
              {match.judged.model} says: {match.judged.reason}
            </span>
          </Fact>
        )}
        <Fact name="Platform">
          {PLATFORM_NAMES[match.platform]} {event.isDemo && <Badge>demo</Badge>}
        </Fact>
        <Fact name="Matched">{exactly(match.created_at)}</Fact>
        {event.at !== undefined && <Fact name="Published">{spoken(event.at)}</Fact>}
        {event.language !== undefined && (
          <Fact name="Language">{facetWords('language', { value: event.language, label: event.language })}</Fact>
        )}
        {match.source !== undefined && <Fact name="Source">{sourceWords(match.source)}</Fact>}
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
