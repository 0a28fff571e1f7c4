/** A few choices side by side, of which one holds. */
import { cx } from './classes.ts';

export interface SegmentsProps<Name extends string> {
  readonly label: string;
  readonly options: readonly { readonly name: Name; readonly label: string }[];
  readonly value: Name;
  onChange(name: Name): void;
}

export function Segments<Name extends string>({ label, options, value, onChange }: SegmentsProps<Name>) {
  return (
    <fieldset className="flex w-fit rounded-md border p-0.5">
      <legend className="sr-only">{label}</legend>
      {options.map((option) => (
        <button
          key={option.name}
          type="button"
          aria-pressed={value === option.name}
          onClick={() => onChange(option.name)}
          className={cx(
            'h-6 rounded-sm px-2 text-xs transition-colors',
            value === option.name ? 'bg-hover font-medium text-ink' : 'text-soft hover:text-ink',
          )}
        >
          {option.label}
        </button>
      ))}
    </fieldset>
  );
}
