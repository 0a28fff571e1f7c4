/** Changes that Sluice suggests from the ratings of a rule, each with its proof: what it removes, and what it would lose. */
import { useQuery } from '@tanstack/react-query';
import type { Answer } from '../../../packages/client/src/index.ts';
import { useChange } from '../data/change.ts';
import { client } from '../data/client.ts';
import { type Match, type Rule, useReadOnly } from '../data/queries.ts';
import { EventExcerpt } from '../event/event-body.tsx';
import { readEvent } from '../event/reading.ts';
import { RatingButtons } from '../matches/rating.tsx';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { figure } from '../ui/moment.ts';
import { PLATFORM_NAMES } from '../ui/platform-badge.tsx';
import { SkeletonRows } from '../ui/skeleton.tsx';
import { toast } from '../ui/toast.tsx';
import { LOSS_BASES, SUGGESTIONS } from '../words/rules.ts';
import { proofOf } from './suggestion-words.ts';

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
              There is nothing to suggest that is safe. Rate matches of this rule, relevant ones and others, with the
              keys y and n: the more are rated, the better it is known what to leave out.
            </p>
          )}
          <ul className="divide-y">
            {data.suggestions.map((suggestion) => (
              <SuggestionRow key={suggestion.id} rule={rule} suggestion={suggestion} />
            ))}
          </ul>
          {data.ask.length > 0 && <Questions matches={data.ask} />}
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
  const before = rule.platforms[platform]?.translated_value;
  const put = (text: string) => client.rules.update({ rule_id: rule.id, overrides: { [platform]: text } });
  const apply = useChange(put, ['rules', 'status', 'changes']);
  const undo = useChange(put, ['rules', 'status', 'changes']);
  return (
    <li className="grid gap-1.5 px-3 py-2.5">
      <div className="flex flex-wrap items-center gap-2">
        <Badge tone="accent" title={SUGGESTIONS[kind].about}>
          {SUGGESTIONS[kind].words}
        </Badge>
        <code className="font-mono text-xs break-all">{change}</code>
        <span className="text-xs text-faint">{PLATFORM_NAMES[platform]}</span>
        <Button
          size="small"
          className="ml-auto"
          busy={apply.isPending}
          obstacle={isReadOnly ? 'Your key is read only.' : undefined}
          onClick={() =>
            void apply.mutateAsync(value).then(
              ({ version }) =>
                toast(`Saved as version ${version}.`, 'ok', {
                  label: 'Undo',
                  // The row is gone by then, and with it what would be told of the change.
                  run: () =>
                    void undo.mutateAsync(before!).then(
                      () => toast('The text before is back.'),
                      ({ message }: Error) => toast(message, 'bad'),
                    ),
                }),
              ({ message }: Error) => toast(message, 'bad'),
            )
          }
        >
          Apply
        </Button>
      </div>
      {proofOf(effect).map((words) => (
        <p key={words} className="text-soft" title={LOSS_BASES[effect.relevant_lost_basis].about}>
          {words}
        </p>
      ))}
      <code className="block rounded-md bg-sunken px-2.5 py-1.5 font-mono text-xs break-words whitespace-pre-wrap">
        {value}
      </code>
    </li>
  );
}
