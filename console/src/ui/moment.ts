/** Times and numbers in words. */
const exact = new Intl.DateTimeFormat(undefined, {
  dateStyle: 'medium',
  timeStyle: 'long',
});
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'narrow' });
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const dayOfYear = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' });

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export const exactly = (at: string): string => exact.format(new Date(at));

/** "just now", "5m ago", "3h ago", "2d ago", then the date. Future times read "in 3h". */
export function ago(at: string, now: number): string {
  const elapsed = Date.parse(at) - now;
  const size = Math.abs(elapsed);
  if (size < MINUTE) return size < 10_000 ? 'just now' : relative.format(Math.trunc(elapsed / 1000), 'second');
  if (size < HOUR) return relative.format(Math.trunc(elapsed / MINUTE), 'minute');
  if (size < DAY) return relative.format(Math.trunc(elapsed / HOUR), 'hour');
  if (size < 14 * DAY) return relative.format(Math.trunc(elapsed / DAY), 'day');
  const sameYear = new Date(at).getFullYear() === new Date(now).getFullYear();
  return (sameYear ? day : dayOfYear).format(new Date(at));
}

/** The time of what has happened: it is never in the future, even where the server's clock is ahead. */
export const past = (at: string, now: number): string => ago(at, Math.max(now, Date.parse(at)));

const count = new Intl.NumberFormat('en');
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** A number in full below ten thousand, compact from there on. */
export const figure = (value: number): string =>
  Math.abs(value) < 10_000 ? count.format(value) : compact.format(value);

/** "1 match", "2 matches". */
export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${figure(value)} ${value === 1 ? one : many}`;

/** In the format of an input for times: the reader's local time, without a zone. */
export const localTime = (at: number): string =>
  new Date(at - new Date(at).getTimezoneOffset() * MINUTE).toISOString().slice(0, 16);
