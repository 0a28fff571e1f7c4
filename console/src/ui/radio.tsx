import type { ComponentProps, ReactNode } from 'react';

export interface RadioProps extends Omit<ComponentProps<'input'>, 'type'> {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
}

export function Radio({ label, hint, ...rest }: RadioProps) {
  return (
    <label className="flex w-fit items-start gap-2 text-sm">
      <input type="radio" {...rest} className="mt-0.5 size-4 accent-accent" />
      <span>
        {label}
        {hint !== undefined && <span className="block text-xs text-faint">{hint}</span>}
      </span>
    </label>
  );
}
