/** Columns over a span of time, with its start and end below. */
import { counted } from './moment.ts';
import { Time } from './time.tsx';

export interface HistogramProps {
  /** Equal intervals, oldest first. */
  readonly columns: readonly { readonly at: string; readonly count: number }[];
  readonly until: string;
  readonly label: string;
}

const HEIGHT = 48;

export function Histogram({ columns, until, label }: HistogramProps) {
  const most = Math.max(...columns.map(({ count }) => count), 1);
  const total = columns.reduce((sum, { count }) => sum + count, 0);
  const first = columns[0]?.at;
  return (
    <figure>
      <svg
        role="img"
        aria-label={`${label}: ${counted(total, 'match', 'matches')}, at most ${most} per interval`}
        viewBox={`0 0 ${columns.length * 8} ${HEIGHT}`}
        preserveAspectRatio="none"
        className="block h-12 w-full"
      >
        {columns.map(({ at, count }, column) => {
          const height = count === 0 ? 1 : Math.max(3, Math.round((count / most) * HEIGHT));
          return (
            <rect
              key={at}
              x={column * 8}
              y={HEIGHT - height}
              width={7}
              height={height}
              className={count === 0 ? 'fill-line-strong' : 'fill-accent'}
            >
              <title>{`${new Date(at).toLocaleTimeString()}: ${count}`}</title>
            </rect>
          );
        })}
      </svg>
      <figcaption className="mt-1 flex justify-between text-xs text-faint">
        {first === undefined ? <span /> : <Time at={first} />}
        <Time at={until} />
      </figcaption>
    </figure>
  );
}
