/** Picks examples from what has arrived: recent events that have some words, or else the newest matches. */
import { useState } from 'react';
import { type Match, useNewestMatches } from '../data/queries.ts';
import { useSettled } from '../rules/use-settled.ts';
import { Checkbox } from '../ui/checkbox.tsx';
import { SearchInput } from '../ui/input.tsx';
import { type Example, exampleOf } from './examples.ts';
import { useRecentWith } from './use-recent-with.ts';

const SHOWN = 8;

interface ExamplePickerProps {
  readonly picked: readonly Example[];
  onPick(picked: readonly Example[]): void;
}

export function ExamplePicker({ picked, onPick }: ExamplePickerProps) {
  const [words, setWords] = useState('');
  const found = useFound(useSettled(words.trim()));
  const isPicked = (one: Example) => picked.some(({ text }) => text === one.text);
  const shown = [...picked, ...found.filter((one) => !isPicked(one))].slice(0, Math.max(SHOWN, picked.length));
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1 text-xs font-medium text-soft">Or pick from what has arrived</legend>
      <SearchInput
        label="Words of recent posts and pages"
        value={words}
        maxLength={100}
        onChange={({ target }) => setWords(target.value)}
        onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
      />
      <ul aria-label="What has arrived" className="max-h-44 divide-y overflow-y-auto rounded-md border" tabIndex={0}>
        {shown.map((one) => (
          <li key={one.text} className="px-2.5 py-1.5">
            <Checkbox
              label={<span className="line-clamp-2 break-words">{one.text}</span>}
              checked={isPicked(one)}
              onChange={({ target }) =>
                onPick(target.checked ? [...picked, one] : picked.filter(({ text }) => text !== one.text))
              }
            />
          </li>
        ))}
        {shown.length === 0 && (
          <li className="px-2.5 py-4 text-center text-soft">
            {words.trim() === ''
              ? 'Nothing has matched yet. Search for words.'
              : 'No recent post or page has these words.'}
          </li>
        )}
      </ul>
    </fieldset>
  );
}

/** Recent events with the words; without words, what matched last. */
function useFound(words: string): Example[] {
  const { data: newest = [] } = useNewestMatches(SHOWN);
  const { data } = useRecentWith(words);
  const found = words === '' ? newest.map((match: Match) => exampleOf(match.platform, match.payload)) : (data ?? []);
  return [...new Map(found.filter(({ text }) => text.trim() !== '').map((one) => [one.text, one])).values()];
}
