/** Numbers in rows and columns: the darker, the more. Screen readers get the largest in words. */
import { cx } from '../ui/classes.ts';

export interface HeatMapProps {
  readonly rows: readonly string[];
  /** Those that are empty are not written. */
  readonly columns: readonly string[];
  /** One list for each row. Null where there is nothing to count. */
  readonly heat: readonly (readonly (number | null)[])[];
  /** What a cell says when the pointer rests on it. */
  wordsOf(row: number, column: number, value: number): string;
  /** Said of all, where every number is zero. */
  readonly none: string;
  /** The width that the names of the rows need, in units of which a cell has 14. */
  readonly left?: number;
}

const CELL = 14;
const TOP = 14;
/** Of names as short as those of days. */
const SHORT = 28;

export function HeatMap({ rows, columns, heat, wordsOf, none, left = SHORT }: HeatMapProps) {
  const most = Math.max(1, ...heat.flat().map((value) => value ?? 0));
  const width = left + columns.length * CELL;
  return (
    <svg
      role="img"
      aria-label={largestOf(heat, wordsOf) ?? none}
      viewBox={`0 0 ${width} ${TOP + rows.length * CELL}`}
      // A unit is at most two pixels, so that a small table does not become huge.
      style={{ maxWidth: 2 * width }}
      // On a phone a unit is less than a pixel: where names are short, their letters can be larger.
      className={cx('block w-full text-[7px]', left <= SHORT && 'max-sm:text-[10px]')}
    >
      {columns.map((name, at) => (
        <text key={`${at} ${name}`} x={left + at * CELL} y={TOP - 5} className="fill-faint">
          {name}
        </text>
      ))}
      {heat.map((values, row) => (
        <g key={`${row} ${rows[row]}`}>
          <text x={0} y={TOP + row * CELL + 9} className="fill-faint">
            {rows[row]}
          </text>
          {values.map(
            (value, column) =>
              value !== null && (
                <rect
                  key={column}
                  x={left + column * CELL}
                  y={TOP + row * CELL}
                  width={CELL - 1.5}
                  height={CELL - 1.5}
                  rx={2}
                  className={cx(value === 0 ? 'fill-line' : 'fill-accent')}
                  fillOpacity={value === 0 ? 1 : 0.2 + (0.8 * value) / most}
                >
                  <title>{wordsOf(row, column, value)}</title>
                </rect>
              ),
          )}
        </g>
      ))}
    </svg>
  );
}

function largestOf(heat: HeatMapProps['heat'], wordsOf: HeatMapProps['wordsOf']): string | undefined {
  let largest: { row: number; column: number; value: number } | undefined;
  for (const [row, values] of heat.entries())
    for (const [column, value] of values.entries())
      if (value !== null && value > (largest?.value ?? 0)) largest = { row, column, value };
  return largest && `Most: ${wordsOf(largest.row, largest.column, largest.value)}.`;
}
