/** Counts events of the last 60 seconds in 60 places, however many events there were and however long it has run. */
import type { Clock } from '../base/clock.ts';

export interface MinuteRing {
  /** The count of each second, at the second's remainder by 60. */
  readonly places: readonly { second: number; events: number }[];
  add(events: number): void;
  /** Events of the last 60 seconds, the running one included. */
  sum(): number;
}

const PLACES = 60;

export function createMinuteRing(clock: Clock): MinuteRing {
  const places = Array.from({ length: PLACES }, () => ({ second: Number.NEGATIVE_INFINITY, events: 0 }));
  const secondNow = () => Math.floor(clock.elapsed() / 1_000);
  return {
    places,
    add(events) {
      const second = secondNow();
      const place = places[second % PLACES]!;
      if (place.second !== second) Object.assign(place, { second, events: 0 });
      place.events += events;
    },
    sum() {
      const since = secondNow() - PLACES;
      return places.reduce((sum, { second, events }) => (second > since ? sum + events : sum), 0);
    },
  };
}
