/** A relative time such as "5m ago"; the exact time, in the reader's zone, shows on hover. */
import { useObservable } from '../data/observable.ts';
import { clock } from './clock.ts';
import { ago, exactly, past } from './moment.ts';

export interface TimeProps {
  readonly at: string;
  readonly className?: string;
  /** The time is one to come, such as an expiry. Any other is never shown as in the future: clocks differ by seconds. */
  readonly ahead?: boolean;
}

export function Time({ at, className, ahead = false }: TimeProps) {
  const now = useObservable(clock);
  return (
    <time dateTime={at} title={exactly(at)} className={className}>
      {ahead ? ago(at, now) : past(at, now)}
    </time>
  );
}
