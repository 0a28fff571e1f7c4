/** How deliveries to a webhook went over time, as a chart needs it. Pure. */
import type { Series } from '../chart/chart.tsx';
import type { WebhookStats } from '../data/queries.ts';
import { figure } from '../ui/moment.ts';

export interface DrawnStats {
  readonly times: readonly number[];
  readonly attempts: readonly Series[];
  /** Milliseconds. Unknown where nothing was attempted. */
  readonly latency: readonly Series[];
}

export const statsDrawn = ({ buckets }: Pick<WebhookStats, 'buckets'>): DrawnStats => ({
  times: buckets.map(({ start }) => Date.parse(start)),
  attempts: [
    { name: 'Delivered', colour: 'accent', values: buckets.map(({ delivered }) => delivered) },
    { name: 'Failed', colour: 'bad', values: buckets.map(({ failed }) => failed) },
  ],
  latency: [
    { name: 'Half of them took up to', unit: 'ms', colour: 'accent', values: buckets.map(({ p50_ms }) => p50_ms) },
    { name: '95 % took up to', unit: 'ms', colour: 'third', values: buckets.map(({ p95_ms }) => p95_ms) },
  ],
});

/** Says which share of all attempts succeeded. Without any it is undefined: that is neither success nor failure. */
export function successWords({ buckets }: Pick<WebhookStats, 'buckets'>): string | undefined {
  const attempts = buckets.reduce((sum, bucket) => sum + bucket.attempts, 0);
  if (attempts === 0) return undefined;
  const delivered = buckets.reduce((sum, bucket) => sum + bucket.delivered, 0);
  // Rounded down: 99.97 % is not all.
  const share = Math.floor((1_000 * delivered) / attempts) / 10;
  return `${share} % of ${figure(attempts)} ${attempts === 1 ? 'attempt' : 'attempts'} succeeded`;
}
