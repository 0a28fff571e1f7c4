/** "Why not?": the user pastes an event, and the rule's tree shows which parts are true for it. */
import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { client } from '../data/client.ts';
import type { Platform } from '../data/queries.ts';
import { EventBody } from '../event/event-body.tsx';
import { type ExplainedPart, ExplanationTree } from '../event/explanation-tree.tsx';
import { readEvent } from '../event/reading.ts';
import { Badge } from '../ui/badge.tsx';
import { Card } from '../ui/card.tsx';
import { Field } from '../ui/field.tsx';
import { Select, TextArea } from '../ui/input.tsx';
import { PLATFORM_NAMES } from '../ui/platform-badge.tsx';
import { type Flags, optionsOf, PLATFORMS } from './draft.ts';
import { readPasted } from './pasted-event.ts';

const HINTS = {
  x: 'Nothing is stored. Plain text has no author and no language, so conditions on those are false.',
  firehose: 'Nothing is stored. In plain text the first line is the title; the rest counts as added text.',
};

export interface WhyNotProps {
  readonly texts: Partial<Record<Platform, string>>;
  readonly flags: Flags;
}

export function WhyNot({ texts, flags }: WhyNotProps) {
  const [chosen, setChosen] = useState<Platform>('x');
  const [pasted, setPasted] = useState('');
  const tried = useDeferredValue(pasted.trim());
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
        <Field
          label={platform === 'firehose' ? 'A page, as JSON or as plain text' : 'A post, as JSON or as plain text'}
          hint={HINTS[platform ?? 'x']}
        >
          {(control) => (
            <TextArea
              {...control}
              rows={4}
              spellCheck={false}
              value={pasted}
              onChange={(event) => setPasted(event.target.value)}
              placeholder="Paste an event that the rule should, or should not, match."
              className="resize-y"
            />
          )}
        </Field>
        {tried !== '' && platform === undefined && (
          <p className="text-soft">Fix the rule first: only a valid rule can be tried.</p>
        )}
        {tried !== '' && platform !== undefined && (
          <Answer platform={platform} text={texts[platform]!} flags={flags} pasted={tried} />
        )}
      </div>
    </Card>
  );
}

interface AnswerProps {
  readonly platform: Platform;
  readonly text: string;
  readonly flags: Flags;
  readonly pasted: string;
}

function Answer({ platform, text, flags, pasted }: AnswerProps) {
  const event = readPasted(platform, pasted);
  const { data, error } = useQuery({
    queryKey: ['why-not', platform, text, flags, event],
    queryFn: ({ signal }) =>
      client.rules.validate(
        {
          platform,
          value: text,
          event,
          ...(platform === 'firehose' && optionsOf({ texts: { firehose: text }, flags })),
        },
        { signal },
      ),
    placeholderData: (before) => before,
  });
  if (error !== null) return <p className="text-bad">{error.message}</p>;
  if (data?.explanation === undefined) return undefined;
  return (
    <div aria-live="polite" className="grid gap-3 md:grid-cols-2">
      <div>
        <p className="mb-2">
          {data.matched ? (
            <Badge tone="ok" dot>
              It matches
            </Badge>
          ) : (
            <Badge tone="bad" dot>
              It does not match
            </Badge>
          )}
        </p>
        <ExplanationTree part={data.explanation} payload={event} />
      </div>
      <div className="min-w-0 self-start rounded-md border bg-sunken p-3">
        <EventBody event={readEvent(platform, event, highlightsIn(data.explanation))} />
      </div>
    </div>
  );
}

/** Highlights of all parts, also when the whole rule does not match. */
const highlightsIn = ({ highlights, of }: ExplainedPart): ExplainedPart['highlights'] => [
  ...highlights,
  ...of.flatMap(highlightsIn),
];
