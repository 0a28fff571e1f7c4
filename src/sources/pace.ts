/**
 * How fast a source is against its own past hour. Silence is told from blindness: a silent source hears nothing at all, a
 * blind one hears something and yields no events. A source that is slow by nature is neither.
 */
import type { Clock } from '../base/clock.ts';

export const PACES = ['unknown', 'usual', 'slow', 'silent', 'blind'] as const;
export type SourcePace = (typeof PACES)[number];

export interface PaceMeter {
  /** Something came: arrivals, and the events in them. */
  add(arrivals: number, events: number): void;
  figures(): { readonly pace: SourcePace; readonly usualPerMinute: number | undefined };
}

const MINUTE_MS = 60_000;
const PAST_MINUTES = 60;
/** Fewer minutes say nothing of what is usual. */
const LEAST_MINUTES = 5;
/** When this many events a minute are usual, a minute without one is no chance. */
const STEADY = 20;
const SLOW_SHARE = 0.25;

interface Minute {
  readonly number: number;
  arrivals: number;
  events: number;
}

/** Only whole minutes count: the running one has always fewer. */
export function createPaceMeter(clock: Clock): PaceMeter {
  const startedAt = clock.elapsed();
  const minutes: Minute[] = [];
  const numberNow = () => Math.floor((clock.elapsed() - startedAt) / MINUTE_MS);

  function roll(): Minute {
    const now = numberNow();
    let last = minutes.at(-1)?.number ?? now - 1;
    last = Math.max(last, now - PAST_MINUTES - 1);
    for (let number = last + 1; number <= now; number++) minutes.push({ number, arrivals: 0, events: 0 });
    minutes.splice(0, Math.max(0, minutes.length - PAST_MINUTES - 1));
    return minutes.at(-1)!;
  }

  return {
    add(arrivals, events) {
      const minute = roll();
      minute.arrivals += arrivals;
      minute.events += events;
    },
    figures() {
      roll();
      const past = minutes.slice(0, -1);
      const last = past.at(-1);
      if (last === undefined || past.length < LEAST_MINUTES) return { pace: 'unknown', usualPerMinute: undefined };
      const usualPerMinute = median(past.map(({ events }) => events));
      return { pace: paceOf(last, usualPerMinute), usualPerMinute };
    },
  };
}

function paceOf({ arrivals, events }: Minute, usual: number): SourcePace {
  if (usual < STEADY || events >= usual * SLOW_SHARE) return 'usual';
  if (events > 0) return 'slow';
  return arrivals > 0 ? 'blind' : 'silent';
}

const median = (counts: readonly number[]): number => {
  const sorted = counts.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!;
};
