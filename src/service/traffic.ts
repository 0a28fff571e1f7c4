/** Events and matches of the last whole minute, for Status. */
import type { Clock } from '../base/clock.ts';
import { PLATFORMS, type Platform } from '../domain/platform.ts';

const MINUTE = 60_000;

export interface Traffic {
  count(platform: Platform, events: number, matches: number): void;
  lastMinute(platform: Platform): { readonly events: number; readonly matches: number };
}

/** Seconds in a ring: each second overwrites the one of a minute ago. */
export function createTraffic(clock: Clock): Traffic {
  const empty = () => Array.from({ length: 60 }, () => ({ second: 0, events: 0, matches: 0 }));
  const rings = Object.fromEntries(PLATFORMS.map((name) => [name, empty()])) as Record<
    Platform,
    ReturnType<typeof empty>
  >;
  const secondNow = () => Math.floor(clock.now().getTime() / 1_000);
  return {
    count(platform, events, matches) {
      const second = secondNow();
      const place = rings[platform][second % 60]!;
      if (place.second !== second) Object.assign(place, { second, events: 0, matches: 0 });
      place.events += events;
      place.matches += matches;
    },
    lastMinute(platform) {
      const oldest = secondNow() - MINUTE / 1_000;
      const counted = { events: 0, matches: 0 };
      for (const { second, events, matches } of rings[platform]) {
        if (second <= oldest) continue;
        counted.events += events;
        counted.matches += matches;
      }
      return counted;
    },
  };
}
