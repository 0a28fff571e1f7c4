/** A tiny column chart without axes. */
import { counted } from './moment.ts';

const COLUMN = 3;
const GAP = 1;
const HEIGHT = 20;

export interface SparklineProps {
  readonly counts: readonly number[];
  /** Says what is counted and over which time, for screen readers. */
  readonly label: string;
}

export function Sparkline({ counts, label }: SparklineProps) {
  const total = counts.reduce((sum, count) => sum + count, 0);
  const width = counts.length * (COLUMN + GAP) - GAP;
  const text = `${label}: ${counted(total, 'match', 'matches')}`;
  return (
    <svg role="img" aria-label={text} width={width} height={HEIGHT} viewBox={`0 0 ${width} ${HEIGHT}`}>
      <title>{text}</title>
      <path d={columns(counts, (count) => (count === 0 ? 1 : 0))} className="fill-line-strong" />
      <path d={columns(counts, heightIn(counts))} className="fill-accent" />
    </svg>
  );
}

function heightIn(counts: readonly number[]): (count: number) => number {
  const most = Math.max(...counts, 1);
  return (count) => (count === 0 ? 0 : Math.max(2, Math.round((count / most) * HEIGHT)));
}

/** All columns as one path: a list shows hundreds of sparklines, and each element costs time. */
const columns = (counts: readonly number[], height: (count: number) => number): string =>
  counts
    .map((count, column) => ({ x: column * (COLUMN + GAP), tall: height(count) }))
    .filter(({ tall }) => tall > 0)
    .map(({ x, tall }) => `M${x} ${HEIGHT}v${-tall}h${COLUMN}v${tall}z`)
    .join('');
