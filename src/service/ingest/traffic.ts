/** Events and matches of the last minute and of the last hour, for Status. */
import type { Clock } from '../../base/clock.ts';
import { PLATFORMS, type Platform } from '../../domain/platform.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** A minute has as many seconds as an hour has minutes. */
const PLACES = 60;

export interface TrafficCount {
  readonly events: number;
  readonly matches: number;
}

export interface Traffic {
  count(platform: Platform, events: number, matches: number): void;
  lastMinute(platform: Platform): TrafficCount;
  /** One entry a minute, oldest first; the last is the minute that is running. */
  lastHour(platform: Platform): readonly TrafficCount[];
}

export function createTraffic(clock: Clock): Traffic {
  const ringsOf = (unit: number) =>
    Object.fromEntries(PLATFORMS.map((name) => [name, createRing(clock, unit)])) as Record<Platform, Ring>;
  const seconds = ringsOf(SECOND);
  const minutes = ringsOf(MINUTE);
  return {
    count(platform, events, matches) {
      seconds[platform].count(events, matches);
      minutes[platform].count(events, matches);
    },
    lastMinute: (platform) =>
      seconds[platform].list().reduce((sum, { events, matches }) => ({
        events: sum.events + events,
        matches: sum.matches + matches,
      })),
    lastHour: (platform) => minutes[platform].list(),
  };
}

interface Ring {
  count(events: number, matches: number): void;
  list(): TrafficCount[];
}

/** Each unit of time overwrites the one that was as many units ago as there are places. */
function createRing(clock: Clock, unit: number): Ring {
  const places = Array.from({ length: PLACES }, () => ({ at: 0, events: 0, matches: 0 }));
  const unitNow = () => Math.floor(clock.now().getTime() / unit);
  return {
    count(events, matches) {
      const at = unitNow();
      const place = places[at % PLACES]!;
      if (place.at !== at) Object.assign(place, { at, events: 0, matches: 0 });
      place.events += events;
      place.matches += matches;
    },
    list() {
      const first = unitNow() - PLACES + 1;
      return places.map((_, index) => {
        const { at, events, matches } = places[(first + index) % PLACES]!;
        return at === first + index ? { events, matches } : { events: 0, matches: 0 };
      });
    },
  };
}
