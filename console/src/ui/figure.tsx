import type { ReactNode } from 'react';

export interface FigureProps {
  readonly name: string;
  readonly value: ReactNode;
  /** A word or a bar below the number. */
  readonly note?: ReactNode;
}

/** One important number with its name. Use it in a `<dl>`. */
export function Figure({ name, value, note }: FigureProps) {
  return (
    <div className="min-w-0 rounded-lg border bg-surface px-3 py-2.5">
      <dt className="text-xs text-soft">{name}</dt>
      <dd>
        <div className="tabular mt-0.5 h-7 text-xl font-semibold tracking-tight">{value}</div>
        {note !== undefined && <div className="mt-0.5 min-h-4 text-xs text-faint">{note}</div>}
      </dd>
    </div>
  );
}
