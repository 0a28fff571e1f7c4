/** A clock on a wall, which is looked at every minute: slow, and right by reading. The oracle of local times. */
import { type QuietHours, WEEKDAYS } from '../../src/domain/wake.ts';

export const MINUTE = 60_000;

interface Shown {
  readonly day: string;
  readonly minute: number;
}

const formats = new Map<string, Intl.DateTimeFormat>();
const seen = new Map<string, Map<number, Shown>>();

export function wall(zone: string, time: number): Shown {
  const ofZone = seen.get(zone) ?? new Map<number, Shown>();
  seen.set(zone, ofZone);
  const known = ofZone.get(Math.floor(time / MINUTE));
  if (known !== undefined) return known;
  const format =
    formats.get(zone) ??
    new Intl.DateTimeFormat('en-GB', { timeZone: zone, weekday: 'short', hour: '2-digit', minute: '2-digit' });
  formats.set(zone, format);
  const [day = '', clock = ''] = format.format(time).split(' ');
  const shown = { day: day.slice(0, 3).toLowerCase(), minute: minutesOf(clock) };
  ofZone.set(Math.floor(time / MINUTE), shown);
  return shown;
}

const minutesOf = (text: string): number => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));

/** The first minute after a time at which the wall clock shows the time of day, or has just jumped over it. */
export function walkTo(zone: string, timeOfDay: string, after: number): number {
  const wanted = minutesOf(timeOfDay) % 1_440;
  for (let time = Math.floor(after / MINUTE) * MINUTE + MINUTE; ; time += MINUTE) {
    const [shown, before] = [wall(zone, time).minute, wall(zone, time - MINUTE).minute];
    if (shown === wanted) return time;
    const passed = (shown - before + 1_440) % 1_440;
    if (passed > 1 && passed < 720 && (wanted - before + 1_440) % 1_440 < passed && wanted !== before) return time;
  }
}

export function isQuietBySight({ from, to, zone, days = WEEKDAYS }: QuietHours, time: number): boolean {
  const { day, minute } = wall(zone, time);
  const [begin, end] = [minutesOf(from), minutesOf(to)];
  const yesterday = WEEKDAYS.at((WEEKDAYS as readonly string[]).indexOf(day) - 1)!;
  const isOn = (name: string) => days.some((one) => one === name);
  if (begin < end) return minute >= begin && minute < end && isOn(day);
  return (minute >= begin && isOn(day)) || (minute < end && isOn(yesterday));
}
