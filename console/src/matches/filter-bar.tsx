/** Filters by rule, platform, time and text. The filter is in the address, so a view can be bookmarked and shared. */
import { ListFilter, Search, X } from 'lucide-react';
import { type RefObject, useEffect } from 'react';
import { useRules } from '../data/queries.ts';
import { Button } from '../ui/button.tsx';
import { cx } from '../ui/classes.ts';
import { Input, Select } from '../ui/input.tsx';
import { RulePicker } from '../ui/rule-picker.tsx';
import { useTyped } from '../ui/use-typed.ts';
import { type FilterChange, isFiltered, type MatchesSearch, NO_FILTER, platformOf } from './filter.ts';
import { TimeFilter } from './time-filter.tsx';

export interface FilterBarProps {
  readonly search: MatchesSearch;
  readonly textInput: RefObject<HTMLInputElement | null>;
  /** Below the width of a laptop all but the text is behind a button. */
  readonly isOpen: boolean;
  onToggle(): void;
  onChange(change: FilterChange): void;
}

export function FilterBar({ search, textInput, isOpen, onToggle, onChange }: FilterBarProps) {
  const { data: rules = [] } = useRules();
  const chosen = rules.find(({ id }) => id === search.rule);
  return (
    <search className="mb-3 flex flex-wrap items-center gap-2">
      <TextFilter
        value={search.text ?? ''}
        input={textInput}
        onChange={(text) => onChange({ text: text === '' ? undefined : text })}
      />
      <Button
        className="lg:hidden"
        aria-expanded={isOpen}
        icon={<ListFilter aria-hidden className="size-3.5" />}
        onClick={onToggle}
      >
        Filters
      </Button>
      <div className={cx('grid w-full grid-cols-2 gap-2 sm:grid-cols-3 lg:contents', !isOpen && 'max-lg:hidden')}>
        <RulePicker
          rules={rules}
          value={chosen}
          className="max-sm:col-span-2 lg:w-44 xl:w-56"
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
      </div>
      {isFiltered(search) && (
        <Button look="quiet" icon={<X aria-hidden className="size-3.5" />} onClick={() => onChange(NO_FILTER)}>
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
  const [typed, type] = useTyped(value);
  useEffect(() => {
    if (typed === value) return;
    const timer = setTimeout(() => onChange(typed), PAUSE);
    return () => clearTimeout(timer);
  }, [typed, value, onChange]);
  return (
    <div className="relative min-w-40 flex-1 sm:min-w-48">
      <Search aria-hidden className="pointer-events-none absolute top-2 left-2.5 size-4 text-faint" />
      <Input
        ref={input}
        type="search"
        aria-label="Text in the post or page"
        placeholder="Text in the post or page"
        maxLength={200}
        value={typed}
        onChange={({ target }) => type(target.value)}
        className="pl-8"
      />
    </div>
  );
}
