/** Excludes an author, a domain, a language or a word from a rule. Before it is saved, it says what that would drop. */

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../data/client.ts';
import { type Match, type Platform, useRule } from '../data/queries.ts';
import type { ReadEvent } from '../event/reading.ts';
import { facetWords } from '../matches/facets.ts';
import { useLanguages } from '../rules/languages.ts';
import { useSavedText } from '../rules/use-saved-text.ts';
import { cx } from '../ui/classes.ts';
import { Field } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { Input } from '../ui/input.tsx';
import { counted, figure } from '../ui/moment.ts';
import { RuleText } from '../ui/rule-text.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { type Exclusion, exclusionsOf, withExclusion, wordExclusion } from './exclusion.ts';
import { useDropped } from './use-dropped.ts';

const KINDS: Readonly<Record<Exclusion['kind'], string>> = {
  author: 'Author',
  domain: 'Domain',
  language: 'Language',
  word: 'Word',
};

export interface ExcludeDialogProps {
  readonly match: Match;
  readonly event: ReadEvent;
  onClose(): void;
}

export function ExcludeDialog({ match, event, onClose }: ExcludeDialogProps) {
  const { data: rule } = useRule(match.rule_id);
  const language = useLanguages()[match.platform];
  const offered = useDropped(match, exclusionsOf(match.platform, event));
  const [chosen, setChosen] = useState<Exclusion>();
  const [word, setWord] = useState('');
  const saved = useSavedText(match.platform, rule, onClose);
  const before = rule?.platforms[match.platform]?.translated_value;
  const after = before !== undefined && chosen !== undefined ? withExclusion(language, before, chosen) : undefined;
  return (
    <FormDialog
      title={`Exclude from “${match.rule_name}”`}
      about="This saves a new version of the rule. Matches that are stored already stay."
      action="Save new version"
      busy={saved.isPending}
      obstacle={chosen === undefined ? 'Choose what to exclude.' : undefined}
      error={saved.error}
      onClose={onClose}
      onSubmit={() => after !== undefined && void saved.save(after).catch(() => {})}
    >
      <div role="radiogroup" aria-label="Exclude" className="flex flex-wrap gap-1.5">
        {offered.map(({ exclusion: one, dropped, of }) => (
          <Choice
            key={one.clause}
            exclusion={one}
            drops={of === 0 ? undefined : `${figure(dropped)} of ${figure(of)}`}
            isChosen={one.clause === chosen?.clause}
            onChoose={() => {
              setWord('');
              setChosen(one);
            }}
          />
        ))}
      </div>
      <Field label="Another word or phrase">
        {(control) => (
          <Input
            {...control}
            value={word}
            maxLength={100}
            onChange={({ target }) => {
              setWord(target.value);
              setChosen(target.value.trim() === '' ? undefined : wordExclusion(match.platform, target.value));
            }}
          />
        )}
      </Field>
      {after !== undefined && (
        <>
          <code className="block rounded-md bg-sunken px-2.5 py-2 font-mono text-xs break-words whitespace-pre-wrap">
            <RuleText text={after} />
          </code>
          <Effect platform={match.platform} before={before!} after={after} />
        </>
      )}
      {chosen !== undefined && before !== undefined && after === undefined && (
        <p className="text-bad">The rule would not be valid with this. Edit the rule instead.</p>
      )}
    </FormDialog>
  );
}

interface ChoiceProps {
  readonly exclusion: Exclusion;
  /** How many of the newest matches have it. */
  readonly drops: string | undefined;
  readonly isChosen: boolean;
  onChoose(): void;
}

function Choice({ exclusion, drops, isChosen, onChoose }: ChoiceProps) {
  return (
    <button
      type="button"
      role="radio"
      aria-checked={isChosen}
      onClick={onChoose}
      className={cx(
        'max-w-full truncate rounded-md border px-2 py-1 text-xs',
        isChosen ? 'border-accent bg-accent-soft text-accent' : 'border-line-strong hover:bg-hover',
      )}
    >
      <span className={isChosen ? undefined : 'text-faint'}>{KINDS[exclusion.kind]}</span>{' '}
      {exclusion.kind === 'language'
        ? facetWords('language', { value: exclusion.name, label: exclusion.name })
        : exclusion.name}
      {drops !== undefined && <span className={cx('ml-1.5 tabular', !isChosen && 'text-faint')}>drops {drops}</span>}
    </button>
  );
}

/** Both texts, tried on the same recent events. */
function Effect({ platform, before, after }: { platform: Platform; before: string; after: string }) {
  const { data, error } = useQuery({
    queryKey: ['exclusion', platform, before, after],
    queryFn: async ({ signal }) => {
      const matched = async (value: string) => {
        const answer = await client.rules.preview(
          { platforms: [platform], overrides: { [platform]: value }, limit: 1 },
          { signal },
        );
        return answer.platforms[platform]!;
      };
      const [was, is] = await Promise.all([matched(before), matched(after)]);
      return { was: was.matched, is: is.matched, events: was.events };
    },
    staleTime: 30_000,
  });
  if (error !== null) return <p className="text-bad">What it would drop is not known: {error.message}</p>;
  if (data === undefined) return <Skeleton className="h-5 w-64" />;
  const dropped = Math.max(0, data.was - data.is);
  return (
    <p role="status">
      <strong className="font-semibold">
        It drops {figure(dropped)} of {counted(data.was, 'match', 'matches')}
      </strong>{' '}
      <span className="text-soft">
        {data.events === 0
          ? 'There are no recent events to try it on.'
          : `among the last ${counted(data.events, 'event')}.`}
      </span>
    </p>
  );
}
