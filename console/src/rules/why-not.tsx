/** "Why not?": the user names or pastes an event, and the rule's tree shows which parts are true for it. */
import { useQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { useState } from 'react';
import type { Answer as Answered } from '../../../packages/client/src/index.ts';
import { useRecentWith } from '../begin/use-recent-with.ts';
import { client } from '../data/client.ts';
import type { Platform } from '../data/queries.ts';
import { EventBody } from '../event/event-body.tsx';
import { type ExplainedPart, ExplanationTree } from '../event/explanation-tree.tsx';
import { readEvent } from '../event/reading.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { cx } from '../ui/classes.ts';
import { Field } from '../ui/field.tsx';
import { Select, TextArea } from '../ui/input.tsx';
import { counted } from '../ui/moment.ts';
import { PLATFORM_NAMES } from '../ui/platform-badge.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { type Flags, optionsOf, PLATFORMS } from './draft.ts';
import { wishOf } from './pasted-event.ts';
import { useSettled } from './use-settled.ts';

export interface WhyNotProps {
  readonly texts: Partial<Record<Platform, string>>;
  readonly flags: Flags;
  /** Puts a changed text into the editor; undefined where nothing may be changed. */
  readonly onUse: ((platform: Platform, text: string) => void) | undefined;
}

export function WhyNot({ texts, flags, onUse }: WhyNotProps) {
  const [chosen, setChosen] = useState<Platform>('x');
  const [pasted, setPasted] = useState('');
  // The timeline leads here.
  const isWanted = useLocation({ select: ({ hash }) => hash === 'why-not' });
  const tried = useSettled(pasted.trim());
  const shown = PLATFORMS.filter((platform) => texts[platform] !== undefined);
  const platform = shown.find((one) => one === chosen) ?? shown[0];
  return (
    <Card
      title="Why not?"
      aside={
        shown.length > 1 && (
          <Select
            aria-label="Try it as"
            value={platform}
            onChange={(event) => setChosen(event.target.value as Platform)}
            className="h-7 text-xs"
          >
            {shown.map((name) => (
              <option key={name} value={name}>
                {PLATFORM_NAMES[name]}
              </option>
            ))}
          </Select>
        )
      }
    >
      <div className="grid gap-3">
        <Field label={`A ${NOUNS[platform ?? 'x']} that the rule should, or should not, match`} hint={HINT}>
          {(control) => (
            <TextArea
              {...control}
              rows={3}
              autoFocus={isWanted}
              spellCheck={false}
              value={pasted}
              onChange={(event) => setPasted(event.target.value)}
              placeholder="https://…, an id, or words of it"
              className="resize-y"
            />
          )}
        </Field>
        {tried !== '' && platform === undefined && (
          <p className="text-soft">Fix the rule first: only a valid rule can be tried.</p>
        )}
        {tried !== '' && platform !== undefined && (
          <>
            <Answer platform={platform} text={texts[platform]!} flags={flags} pasted={tried} onUse={onUse} />
            <Picks platform={platform} pasted={tried} onPick={setPasted} />
          </>
        )}
      </div>
    </Card>
  );
}

const NOUNS = { x: 'post', firehose: 'page' };
const HINT =
  'Its address, its id, its text, or all of it as JSON. It is looked up among what has arrived; nothing is stored or fetched.';

/** Recent events that have the words: which one is meant. */
function Picks({ platform, pasted, onPick }: { platform: Platform; pasted: string; onPick(json: string): void }) {
  const { data = [] } = useRecentWith(wishOf(platform, pasted).text ?? '');
  const found = data.filter((one) => one.platform === platform).slice(0, MOST_PICKS);
  if (found.length < 2) return null;
  return (
    <section aria-label="Recent events with these words" className="border-t pt-2">
      <p className="text-xs text-soft">Several recent events have these words. Pick the one that you mean:</p>
      <ul className="mt-1 grid gap-1">
        {found.map(({ text, payload }) => (
          <li key={text}>
            <button
              type="button"
              onClick={() => onPick(JSON.stringify(payload))}
              className="block w-full rounded-sm px-2 py-1 text-left hover:bg-hover"
            >
              <span className="line-clamp-2 break-words">{text}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

const MOST_PICKS = 5;

interface AnswerProps {
  readonly platform: Platform;
  readonly text: string;
  readonly flags: Flags;
  readonly pasted: string;
  readonly onUse: WhyNotProps['onUse'];
}

const FOUND = {
  given: undefined,
  recent: 'Found among the recent events.',
  stored: 'Found among the stored matches.',
  text_only: 'It is not among what has arrived, so it is judged by this text alone: it has no author and no language.',
};

function Answer({ platform, text, flags, pasted, onUse }: AnswerProps) {
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: ['why-not', platform, text, flags, pasted],
    queryFn: ({ signal }) =>
      client.rules.explainEvent(
        {
          platform,
          value: text,
          ...wishOf(platform, pasted),
          ...(platform === 'firehose' && optionsOf({ texts: { firehose: text }, flags })),
        },
        { signal },
      ),
    retry: false,
    placeholderData: (before) => before,
  });
  if (error !== null) return <p className="text-bad">{error.message}</p>;
  if (data === undefined) return <Skeleton className="h-5 w-64" />;
  return (
    <div
      aria-live="polite"
      aria-busy={isPlaceholderData}
      className={cx('grid gap-3 md:grid-cols-2', isPlaceholderData && 'grayscale')}
    >
      {/* What is shown is the answer to an earlier text. */}
      {isPlaceholderData && <p className="text-soft md:col-span-2">Updating …</p>}
      <div className="grid content-start gap-2">
        <p className="flex flex-wrap items-center gap-2">
          {data.matched ? (
            <Badge tone="ok" dot>
              It matches
            </Badge>
          ) : (
            <Badge tone="bad" dot>
              It does not match
            </Badge>
          )}
          <span className="text-xs text-soft">{FOUND[data.found]}</span>
        </p>
        <ExplanationTree part={data.explanation} payload={data.payload} />
        {data.nearest !== null && !isPlaceholderData && (
          <Nearest change={data.nearest} onUse={onUse && ((value) => onUse(platform, value))} />
        )}
      </div>
      <div className="min-w-0 self-start rounded-md border bg-sunken p-3">
        <EventBody event={readEvent(platform, data.payload, highlightsIn(data.explanation))} />
      </div>
    </div>
  );
}

interface NearestProps {
  readonly change: NonNullable<Explained['nearest']>;
  readonly onUse: ((value: string) => void) | undefined;
}

/** The smallest change with which the rule would match it. */
function Nearest({ change: { value, added, options }, onUse }: NearestProps) {
  return (
    <div className="grid gap-1.5 rounded-md border p-2.5">
      <p className="text-soft">This text would match it, and {counted(added, 'more recent event')} in all:</p>
      <code className="font-mono text-xs break-words">{value}</code>
      {onUse !== undefined && options === undefined && (
        <Button size="small" className="w-fit" onClick={() => onUse(value)}>
          Use this text
        </Button>
      )}
    </div>
  );
}

type Explained = Answered<'explainEvent'>;

/** Highlights of all parts, also when the whole rule does not match. */
const highlightsIn = ({ highlights, of }: ExplainedPart): ExplainedPart['highlights'] => [
  ...highlights,
  ...of.flatMap(highlightsIn),
];
