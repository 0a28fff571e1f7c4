/**
 * Times of day in time zones, by the clock on the wall there. A time that the wall clock jumps over, when summer time begins, comes at
 * the jump; a time that it shows twice, when summer time ends, comes twice.
 */
import { createLru } from '../base/lru.ts';
import { type QuietHours, WEEKDAYS } from '../domain/wake.ts';

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;
/** Zones whose formatters are kept. */
const MOST_ZONES = 200;
/** After as many periods, quiet hours that follow each other have come around the week. */
const MOST_PERIODS = 8;

interface Zone {
  readonly format: Intl.DateTimeFormat;
  /** The minute that was asked for last, and the wall clock's lead over UTC in it. */
  minute: number;
  offset: number;
}

const zones = createLru<string, Zone>({ limit: MOST_ZONES });

function zoneOf(name: string): Zone {
  const known = zones.get(name);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en', { timeZone: name, timeZoneName: 'longOffset' });
  const zone = { format, minute: Number.NaN, offset: 0 };
  zones.set(name, zone);
  return zone;
}

export function isZone(name: string): boolean {
  try {
    return zoneOf(name) !== undefined;
  } catch {
    return false;
  }
}

const OFFSET = /^GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/;

/** Milliseconds by which the wall clock is ahead of UTC. Zones change it on the minute. */
export function offsetAt(zoneName: string, time: number): number {
  const zone = zoneOf(zoneName);
  const minute = Math.floor(time / MINUTE);
  if (zone.minute === minute) return zone.offset;
  const name = zone.format.formatToParts(minute * MINUTE).find(({ type }) => type === 'timeZoneName');
  const [, sign, hours = 0, minutes = 0, seconds = 0] = OFFSET.exec(name?.value ?? '') ?? [];
  const length = (Number(hours) * 60 + Number(minutes)) * MINUTE + Number(seconds) * 1_000;
  zone.minute = minute;
  zone.offset = sign === '-' ? -length : length;
  return zone.offset;
}

/** Minutes since midnight of a text such as 07:30. */
const minuteOf = (text: string): number => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));

/** The first time after this one at which the clocks of the zone show the time of day, or jump over it. */
export function nextTime(zone: string, timeOfDay: string, after: Date): Date {
  const time = after.getTime();
  const offset = offsetAt(zone, time);
  const wall = time + offset;
  const today = Math.floor(wall / DAY) * DAY + minuteOf(timeOfDay) * MINUTE;
  const next = (today > wall ? today : today + DAY) - offset;
  if (offsetAt(zone, next) === offset) return new Date(next);
  // The clocks are changed between the two.
  const found = [-1, 0, 1, 2].flatMap((days) => timesOf(zone, today + days * DAY));
  return new Date(Math.min(...found.filter((one) => one > time)));
}

/** When the clocks of a zone show a wall time around which they may be changed. */
function timesOf(zone: string, wall: number): number[] {
  const [before, after] = [offsetAt(zone, wall - DAY), offsetAt(zone, wall + DAY)];
  const shown = [...new Set([wall - before, wall - after])].filter((time) => time + offsetAt(zone, time) === wall);
  return shown.length > 0 ? shown : [jumpBetween(zone, wall - after, wall - before)];
}

/** The minute within these times at which the clocks go forward. */
function jumpBetween(zone: string, from: number, until: number): number {
  let [early, late] = [Math.floor(from / MINUTE), Math.ceil(until / MINUTE)];
  const offset = offsetAt(zone, until);
  while (late - early > 1) {
    const middle = Math.floor((early + late) / 2);
    if (offsetAt(zone, middle * MINUTE) === offset) late = middle;
    else early = middle;
  }
  return late * MINUTE;
}

export function isQuiet({ from, to, zone, days }: QuietHours, at: Date): boolean {
  const wall = at.getTime() + offsetAt(zone, at.getTime());
  const minute = Math.floor(wall / MINUTE) % 1_440;
  const [begin, end] = [minuteOf(from), minuteOf(to)];
  const isOvernight = begin > end;
  if (isOvernight ? minute >= end && minute < begin : minute < begin || minute >= end) return false;
  const day = Math.floor(wall / DAY) - (isOvernight && minute < end ? 1 : 0);
  return days === undefined || days.includes(WEEKDAYS[(day + EPOCH_WEEKDAY) % 7]!);
}

/** The first of January 1970 was a Thursday. */
const EPOCH_WEEKDAY = 4;

/** The time itself, or the end of the quiet hours that it lies in. */
export function afterQuiet(quiet: QuietHours | undefined, at: Date): Date {
  let time = at;
  for (let period = 0; quiet !== undefined && period < MOST_PERIODS && isQuiet(quiet, time); period++)
    time = nextTime(quiet.zone, quiet.to, time);
  return time;
}
