/** Options that take a time: every command reads them alike. */
import { InvalidArgumentError, Option } from 'commander';

const UNITS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** The time that was `12h` ago, or a time as it is written. A day without a time begins at midnight UTC. */
export const pastTime = (text: string, now = Date.now()): string => readTime(text, now, -1).toISOString();

/** The time that is `12h` ahead, or a time as it is written. */
export function futureTime(text: string, now = Date.now()): Date {
  const time = readTime(text, now, 1);
  if (time.getTime() <= now) throw new InvalidArgumentError('It must lie in the future.');
  return time;
}

function readTime(text: string, now: number, direction: -1 | 1): Date {
  const [, count, unit] = /^(\d{1,5})([smhdw])$/.exec(text) ?? [];
  const written = WRITTEN.test(text) ? Date.parse(text) : Number.NaN;
  const time = count === undefined ? written : now + direction * Number(count) * UNITS[unit!]!;
  if (Number.isNaN(time))
    throw new InvalidArgumentError('It is a time such as 2026-11-15T08:00:00Z, or a span such as 90m, 12h, 7d or 8w.');
  return new Date(time);
}

/** A time has a zone: without one it would mean another time on another machine. */
const WRITTEN = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/;

/** `what` goes on with how times are written. */
export const pastOption = (flags: string, what: string): Option =>
  new Option(flags, `${what}: a time such as 2026-11-15T08:00:00Z, or how long ago, such as 12h`).argParser(
    (text: string) => pastTime(text),
  );
