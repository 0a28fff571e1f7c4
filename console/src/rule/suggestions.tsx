/** Changes that Sluice suggests from the ratings of a rule, the least loss first: what each drops, keeps, and may lose. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Answer } from '../../../packages/client/src/index.ts';
import { client } from '../data/client.ts';
import { type Match, type Rule, useReadOnly } from '../data/queries.ts';
import { EventExcerpt } from '../event/event-body.tsx';
import { readEvent } from '../event/reading.ts';
import { RatingButtons } from '../matches/rating.tsx';
import { useSavedText } from '../rules/use-saved-text.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Confirm } from '../ui/dialog.tsx';
import { counted, figure } from '../ui/moment.ts';
import { PLATFORM_NAMES } from '../ui/platform-badge.tsx';
import { RuleText } from '../ui/rule-text.tsx';
import { SkeletonRows } from '../ui/skeleton.tsx';
import { Time } from '../ui/time.tsx';
import { toast } from '../ui/toast.tsx';
import { LOSS_BASES, SUGGESTIONS } from '../words/rules.ts';
import { byLoss, dropsOf, harmOf, keepsOf, lossOf } from './suggestion-words.ts';

type Suggestion = Answer<'suggestChanges'>['suggestions'][number];

export function Suggestions({ rule }: { rule: Rule }) {
  const { data, error } = useQuery({
    queryKey: ['suggestions', rule.id, rule.version],
    queryFn: ({ signal }) => client.rules.suggest({ rule_id: rule.id }, { signal }),
    staleTime: 60_000,
  });
  return (
    <Card title="Suggested changes" flush aside={data && `from ${figure(data.basis.rated)} rated matches`}>
      {error !== null ? (
        <p className="px-3 py-4 text-bad">{error.message}</p>
      ) : data === undefined ? (
        <SkeletonRows rows={2} />
      ) : (
        <>
          {data.suggestions.length === 0 && (
            <p className="px-3 py-4 text-soft">
              There is nothing to suggest that is safe. Rate matches of this rule, relevant ones and others
              <span className="pointer-coarse:hidden">, with the keys y and n</span>: the more are rated, the better it
              is known what to leave out.
            </p>
          )}
          <ul className="divide-y">
            {data.suggestions.toSorted(byLoss).map((suggestion) => (
              <SuggestionRow key={suggestion.id} rule={rule} suggestion={suggestion} />
            ))}
          </ul>
          {data.ask.length > 0 && <Questions matches={data.ask} />}
          <CheckedList checked={data.checked} />
        </>
      )}
    </Card>
  );
}

/** The matches whose ratings would decide most. */
function Questions({ matches }: { matches: readonly Match[] }) {
  return (
    <section aria-label="Ratings that would decide most" className="border-t">
      <p className="px-3 pt-2.5 text-soft">These ratings would decide most:</p>
      <ul className="divide-y">
        {matches.map((match) => (
          <li key={match.id} className="grid gap-1.5 px-3 py-2.5">
            <EventExcerpt event={readEvent(match.platform, match.payload, match.highlights, match.demo)} />
            <div className="flex flex-wrap gap-2">
              <RatingButtons match={match} />
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

function SuggestionRow({ rule, suggestion }: { rule: Rule; suggestion: Suggestion }) {
  const { platform, kind, change, value, effect } = suggestion;
  const isReadOnly = useReadOnly();
  const [isAsking, setAsking] = useState(false);
  const { save, isPending } = useSavedText(platform, rule);
  const harm = harmOf(effect);
  const apply = () => void save(value).catch(({ message }: Error) => toast(message, 'bad'));
  return (
    <li className="grid gap-2 px-3 py-3">
      <div className="flex flex-wrap items-center gap-2">
        <Badge tone="accent" title={SUGGESTIONS[kind].about}>
          {SUGGESTIONS[kind].words}
        </Badge>
        <code className="font-mono text-xs break-all">{change}</code>
        <span className="text-xs text-faint">{PLATFORM_NAMES[platform]}</span>
        <Button
          size="small"
          className="ml-auto"
          busy={isPending}
          obstacle={isReadOnly ? 'Your key is read only.' : undefined}
          onClick={harm === undefined ? apply : () => setAsking(true)}
        >
          Apply
        </Button>
      </div>
      <dl className="grid gap-2 sm:grid-cols-2">
        <Figures name="Drops" lines={dropsOf(effect)} />
        <Figures name="Keeps" lines={keepsOf(effect)} />
      </dl>
      <p className="text-xs text-soft" title={LOSS_BASES[effect.relevant_lost_basis].about}>
        {lossOf(effect)}
      </p>
      <code className="block rounded-md bg-sunken px-2.5 py-1.5 font-mono text-xs break-words whitespace-pre-wrap">
        <RuleText text={value} />
      </code>
      <Gone suggestion={suggestion} />
      <Confirm
        title={`Apply ${change}?`}
        action="Apply all the same"
        open={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={() => save(value)}
      >
        {harm}
      </Confirm>
    </li>
  );
}

function Figures({ name, lines }: { name: string; lines: readonly string[] }) {
  return (
    <div className="rounded-md border px-2.5 py-1.5">
      <dt className="text-xs text-faint">{name}</dt>
      {lines.map((line) => (
        <dd key={line} className="tabular">
          {line}
        </dd>
      ))}
    </div>
  );
}

/** The matches that would go: those rated relevant, and those that nobody has rated. */
function Gone({ suggestion: { lost, unrated_removed } }: { suggestion: Suggestion }) {
  const gone = [...lost, ...unrated_removed];
  if (gone.length === 0) return null;
  return (
    <details className="rounded-md border">
      <summary className="cursor-pointer px-2.5 py-1.5 text-xs font-medium">
        Look at {counted(gone.length, 'match', 'matches')} that would go
      </summary>
      <ul className="divide-y border-t">
        {gone.map((match) => (
          <li key={match.id} className="px-2.5 py-1.5">
            <EventExcerpt event={readEvent(match.platform, match.payload, match.highlights, match.demo)} />
          </li>
        ))}
      </ul>
    </details>
  );
}

type Checked = Answer<'suggestChanges'>['checked'][number];

/** The effect of applied suggestions, against what was predicted. */
function CheckedList({ checked }: { checked: readonly Checked[] }) {
  if (checked.length === 0) return null;
  return (
    <section aria-label="Applied suggestions" className="border-t px-3 py-2.5">
      <p className="text-soft">Applied before:</p>
      <ul className="mt-1 grid gap-1">
        {checked.map(({ id, value, applied_at, predicted_removed_share: was, actual_removed_share: is }) => (
          <li key={id} className="grid gap-0.5">
            <code className="font-mono text-xs break-words">{value}</code>
            <span className="text-xs text-soft">
              {sharesOf(was, is)}, applied <Time at={applied_at} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

const percent = (share: number): string => `${Math.round(share * 100)} %`;

const sharesOf = (was: number, is: number | null): string =>
  `predicted to drop ${percent(was)} of the matches; ${is === null ? 'what it dropped is not known' : `it dropped ${percent(is)}`}`;
