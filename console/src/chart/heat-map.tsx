/** Numbers in rows and columns: the darker, the more. Screen readers get the largest in words. */
import { Fragment } from 'react';
import { cx } from '../ui/classes.ts';

export interface HeatMapProps {
  readonly rows: readonly string[];
  /** Names that are empty are not written. */
  readonly columns: readonly string[];
  /** One list for each row. Null where there is nothing to count. */
  readonly heat: readonly (readonly (number | null)[])[];
  /** The words of a cell that the pointer rests on. */
  wordsOf(row: number, column: number, value: number): string;
  /** Said of all, where every number is zero. */
  readonly none: string;
}

/** A cell of a small table is at most so wide, in pixels, so that the table does not become huge. One with more columns is as wide as its card. */
const WIDEST = 28;
const SMALL = 20;

export function HeatMap({ rows, columns, heat, wordsOf, none }: HeatMapProps) {
  const isWide = columns.length > SMALL;
  const most = Math.max(1, ...heat.flat().map((value) => value ?? 0));
  return (
    <div
      role="img"
      aria-label={largestOf(heat, wordsOf) ?? none}
      className="grid gap-0.5 text-xs text-faint"
      style={{
        gridTemplateColumns: `max-content repeat(${columns.length}, minmax(0.5rem, ${isWide ? '1fr' : `${WIDEST}px`}))`,
      }}
    >
      <span />
      {columns.map((name, at) => (
        // A name may reach over the empty ones after it.
        <span key={`${at} ${name}`} className="w-0 whitespace-nowrap">
          {name}
        </span>
      ))}
      {heat.map((values, row) => (
        <Fragment key={`${row} ${rows[row]}`}>
          <span className="self-center pr-1.5 leading-none whitespace-nowrap">{rows[row]}</span>
          {values.map((value, column) => (
            <span
              key={column}
              className={cx(
                'rounded-sm',
                isWide ? 'h-5' : 'aspect-square',
                value === 0 ? 'bg-line' : value !== null && 'bg-accent',
              )}
              style={{ opacity: value === null || value === 0 ? 1 : 0.2 + (0.8 * value) / most }}
              title={value === null ? undefined : wordsOf(row, column, value)}
            />
          ))}
        </Fragment>
      ))}
    </div>
  );
}

function largestOf(heat: HeatMapProps['heat'], wordsOf: HeatMapProps['wordsOf']): string | undefined {
  let largest: { row: number; column: number; value: number } | undefined;
  for (const [row, values] of heat.entries())
    for (const [column, value] of values.entries())
      if (value !== null && value > (largest?.value ?? 0)) largest = { row, column, value };
  return largest && `Most: ${wordsOf(largest.row, largest.column, largest.value)}.`;
}
