/** Figures of the whole instance, in the form that charts need. Pure. */
import type { Platform, Status } from '../data/queries.ts';

export type Instance = NonNullable<Status['instance']>;

const MINUTE = 60_000;

/** The start of each minute since the server started: at most the last 60 minutes, at least ten. */
export function minutesUntil(now: number, { started_at }: Instance): number[] {
  const last = Math.floor(now / MINUTE) * MINUTE;
  const count = Math.min(60, Math.max(10, Math.ceil((now - Date.parse(started_at)) / MINUTE) + 1));
  return Array.from({ length: count }, (_, at) => last - (count - 1 - at) * MINUTE);
}

/**
 * A platform's last hour. The current minute is incomplete, so the last sixty seconds take its place: otherwise the line
 * would always drop at its end.
 */
export function lastHour(instance: Instance, platform: Platform, of: 'events' | 'matches', times: readonly number[]) {
  const figures = instance.platforms[platform];
  if (figures === undefined) return [];
  const counts = [...figures.last_hour[of].slice(0, -1), figures[`${of}_per_minute`]].slice(-times.length);
  const start = Date.parse(instance.started_at);
  // Before the server started the count is unknown, which is not zero.
  return counts.map((count, at) => (times[at]! + MINUTE < start ? null : count));
}
