/** Filters by rule, platform, time and text. The filter is in the address, so a view can be bookmarked and shared. */
import { Search, X } from 'lucide-react';
import { type RefObject, useEffect, useState } from 'react';
import { useRules } from '../data/queries.ts';
import { Button } from '../ui/button.tsx';
import { Input, Select } from '../ui/input.tsx';
import { RulePicker } from '../ui/rule-picker.tsx';
import { type FilterChange, isFiltered, type MatchesSearch, NO_FILTER, platformOf } from './filter.ts';
import { TimeFilter } from './time-filter.tsx';

export interface FilterBarProps {
  readonly search: MatchesSearch;
  readonly textInput: RefObject<HTMLInputElement | null>;
  onChange(change: FilterChange): void;
}

export function FilterBar({ search, textInput, onChange }: FilterBarProps) {
  const { data: rules = [] } = useRules();
  const chosen = rules.find(({ id }) => id === search.rule);
  return (
    <search className="mb-3 grid grid-cols-2 gap-2 lg:flex lg:flex-wrap lg:items-center">
      <TextFilter
        value={search.text ?? ''}
        input={textInput}
        onChange={(text) => onChange({ text: text === '' ? undefined : text })}
      />
      <RulePicker
        rules={rules}
        value={chosen}
        className="col-span-2 lg:w-44 xl:w-56"
        onChange={(rule) => onChange({ rule: rule?.id })}
      />
      <Select
        aria-label="Platform"
        className="lg:w-36 xl:w-40"
        value={platformOf(search.platform) ?? ''}
        onChange={({ target }) => onChange({ platform: target.value || undefined })}
      >
        <option value="">All platforms</option>
        <option value="x">X posts</option>
        <option value="firehose">Web pages</option>
      </Select>
      <TimeFilter search={search} onChange={onChange} />
      {isFiltered(search) && (
        <Button
          look="quiet"
          className="col-span-2 justify-self-start"
          icon={<X aria-hidden className="size-3.5" />}
          onClick={() => onChange(NO_FILTER)}
        >
          Clear
        </Button>
      )}
    </search>
  );
}

const PAUSE = 300;

interface TextFilterProps {
  readonly value: string;
  readonly input: RefObject<HTMLInputElement | null>;
  onChange(text: string): void;
}

/** Searches when the user pauses typing. */
function TextFilter({ value, input, onChange }: TextFilterProps) {
  const [typed, setTyped] = useState(value);
  const [known, setKnown] = useState(value);
  if (known !== value) {
    // The value changed from outside: the Clear button or the browser's Back.
    setKnown(value);
    setTyped(value);
  }
  useEffect(() => {
    if (typed === value) return;
    const timer = setTimeout(() => onChange(typed), PAUSE);
    return () => clearTimeout(timer);
  }, [typed, value, onChange]);
  return (
    <div className="relative col-span-2 lg:min-w-48 lg:flex-1">
      <Search aria-hidden className="pointer-events-none absolute top-2 left-2.5 size-4 text-faint" />
      <Input
        ref={input}
        type="search"
        aria-label="Text in the post or page"
        placeholder="Text in the post or page"
        maxLength={200}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
        className="pl-8"
      />
    </div>
  );
}
