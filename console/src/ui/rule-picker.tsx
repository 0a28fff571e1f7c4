/** Picks one rule, or several, among thousands: type a part of the name and choose from the list. */
import { Combobox } from '@base-ui/react/combobox';
import { Check, ChevronDown, X } from 'lucide-react';
import { cx } from './classes.ts';

export interface PickableRule {
  readonly id: string;
  readonly name: string;
}

/** How many rules the list shows; typing a part of the name finds the others. */
const LISTED = 20;

const labelOf = ({ name }: PickableRule): string => name;
/** Without the rules of a language, by which ten thousand names take too long for each letter that is typed. */
const hasInName = ({ name }: PickableRule, typed: string): boolean => name.toLowerCase().includes(typed.toLowerCase());
const isSame = (a: PickableRule, b: PickableRule): boolean => a.id === b.id;

const BOX =
  'relative flex w-full min-w-0 items-center rounded-md border border-line-strong bg-surface hover:border-faint ' +
  'focus-within:outline-2 focus-within:outline-offset-2 focus-within:outline-accent';

export interface RulePickerProps {
  readonly rules: readonly PickableRule[];
  readonly value: PickableRule | undefined;
  /** Said while none is chosen. */
  readonly none?: string;
  readonly className?: string;
  onChange(rule: PickableRule | undefined): void;
}

export function RulePicker({ rules, value, none = 'All rules', className, onChange }: RulePickerProps) {
  return (
    <Combobox.Root
      items={rules}
      limit={LISTED}
      value={value ?? null}
      filter={hasInName}
      itemToStringLabel={labelOf}
      isItemEqualToValue={isSame}
      onValueChange={(rule) => onChange(rule ?? undefined)}
    >
      <div className={cx(BOX, 'h-8', className)}>
        <Combobox.Input
          aria-label="Rule"
          placeholder={none}
          className="h-full w-full min-w-0 rounded-md bg-transparent pr-8 pl-2.5 text-sm text-ellipsis outline-none"
        />
        <Combobox.Clear
          aria-label="All rules"
          className="absolute right-1 z-10 grid size-6 place-items-center rounded-sm bg-surface text-faint hover:text-ink"
        >
          <X aria-hidden className="size-3.5" />
        </Combobox.Clear>
        <Combobox.Trigger
          aria-label="Show rules"
          className="absolute right-1 grid size-6 place-items-center text-faint"
        >
          <ChevronDown aria-hidden className="size-3.5" />
        </Combobox.Trigger>
      </div>
      <RuleList isCut={rules.length > LISTED} />
    </Combobox.Root>
  );
}

export interface RulesPickerProps {
  readonly id: string;
  /** For a picker that no label points to. */
  readonly label?: string;
  readonly placeholder?: string;
  readonly rules: readonly PickableRule[];
  readonly value: readonly PickableRule[];
  onChange(rules: readonly PickableRule[]): void;
}

export function RulesPicker({ id, label, placeholder = 'All rules', rules, value, onChange }: RulesPickerProps) {
  return (
    <Combobox.Root
      items={rules}
      limit={LISTED}
      multiple
      value={value}
      filter={hasInName}
      itemToStringLabel={labelOf}
      isItemEqualToValue={isSame}
      onValueChange={onChange}
    >
      <Combobox.Chips className={cx(BOX, 'min-h-8 flex-wrap gap-1 p-1')}>
        {value.map((rule) => (
          <Combobox.Chip
            key={rule.id}
            aria-label={rule.name}
            className="flex h-6 max-w-full items-center gap-1 rounded-sm bg-hover pl-1.5 text-xs outline-none data-highlighted:bg-accent-soft"
          >
            <span className="truncate">{rule.name}</span>
            <Combobox.ChipRemove
              aria-label={`Remove ${rule.name}`}
              className="grid size-6 place-items-center text-faint"
            >
              <X aria-hidden className="size-3" />
            </Combobox.ChipRemove>
          </Combobox.Chip>
        ))}
        <Combobox.Input
          id={id}
          aria-label={label}
          placeholder={value.length === 0 ? placeholder : ''}
          className="h-6 min-w-24 flex-1 bg-transparent px-1.5 text-sm outline-none"
        />
      </Combobox.Chips>
      <RuleList isCut={rules.length > LISTED} />
    </Combobox.Root>
  );
}

function RuleList({ isCut }: { isCut: boolean }) {
  return (
    <Combobox.Portal>
      <Combobox.Positioner sideOffset={4} className="z-50 outline-none">
        <Combobox.Popup className="rise w-[max(var(--anchor-width),14rem)] max-w-[var(--available-width)] rounded-md border border-line-strong bg-surface shadow-float">
          <Combobox.Empty>
            <div className="px-3 py-3 text-soft">No rule has this text in its name.</div>
          </Combobox.Empty>
          <Combobox.List className="max-h-[min(20rem,var(--available-height))] overflow-y-auto overscroll-contain p-1 outline-none data-empty:p-0">
            {(rule: PickableRule) => (
              <Combobox.Item
                key={rule.id}
                value={rule}
                className="grid cursor-default grid-cols-[1rem_minmax(0,1fr)] items-center gap-2 rounded-sm px-2 py-1.5 outline-none select-none data-highlighted:bg-hover"
              >
                <Combobox.ItemIndicator className="col-start-1 text-accent">
                  <Check aria-hidden className="size-3.5" />
                </Combobox.ItemIndicator>
                <span className="col-start-2 truncate">{rule.name}</span>
              </Combobox.Item>
            )}
          </Combobox.List>
          {isCut && <p className="border-t px-3 py-1.5 text-xs text-faint">Type a part of the name to find others.</p>}
        </Combobox.Popup>
      </Combobox.Positioner>
    </Combobox.Portal>
  );
}
