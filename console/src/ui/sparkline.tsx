/** A tiny column chart without axes: the shape of the last hours at a glance. */
import { counted } from './moment.ts';

const COLUMN = 3;
const GAP = 1;
const HEIGHT = 20;

export interface SparklineProps {
  readonly counts: readonly number[];
  /** What is counted and over what time, for those who do not see it. */
  readonly label: string;
}

export function Sparkline({ counts, label }: SparklineProps) {
  const most = Math.max(...counts, 1);
  const total = counts.reduce((sum, count) => sum + count, 0);
  const width = counts.length * (COLUMN + GAP) - GAP;
  const text = `${label}: ${counted(total, 'match', 'matches')}`;
  return (
    <svg role="img" aria-label={text} width={width} height={HEIGHT} viewBox={`0 0 ${width} ${HEIGHT}`}>
      <title>{text}</title>
      {counts.map((count, column) => {
        const height = count === 0 ? 1 : Math.max(2, Math.round((count / most) * HEIGHT));
        return (
          <rect
            key={column}
            x={column * (COLUMN + GAP)}
            y={HEIGHT - height}
            width={COLUMN}
            height={height}
            className={count === 0 ? 'fill-line-strong' : 'fill-accent'}
          />
        );
      })}
    </svg>
  );
}
