/** The filter `date`: a time as clocks in a time zone show it, in the usual letters of `strftime`. */
import { isZone, offsetAt } from '../../wakes/local-time.ts';
import { TemplateFault } from './template-problems.ts';

const MONTHS = 'January February March April May June July August September October November December'.split(' ');
const DAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');
const LONGEST_FORMAT = 100;
const LETTER = /%(-?)([a-zA-Z%])/g;

const two = (number: number): string => String(number).padStart(2, '0');
const inTwelve = (hour: number): number => hour % 12 || 12;

/** `wall`: what the clocks there show, as if it were UTC. */
const LETTERS: Readonly<Record<string, (wall: Date, zone: string) => string>> = {
  Y: (wall) => String(wall.getUTCFullYear()),
  y: (wall) => two(wall.getUTCFullYear() % 100),
  m: (wall) => two(wall.getUTCMonth() + 1),
  B: (wall) => MONTHS[wall.getUTCMonth()]!,
  b: (wall) => MONTHS[wall.getUTCMonth()]!.slice(0, 3),
  d: (wall) => two(wall.getUTCDate()),
  e: (wall) => String(wall.getUTCDate()).padStart(2, ' '),
  A: (wall) => DAYS[wall.getUTCDay()]!,
  a: (wall) => DAYS[wall.getUTCDay()]!.slice(0, 3),
  H: (wall) => two(wall.getUTCHours()),
  I: (wall) => two(inTwelve(wall.getUTCHours())),
  M: (wall) => two(wall.getUTCMinutes()),
  S: (wall) => two(wall.getUTCSeconds()),
  p: (wall) => (wall.getUTCHours() < 12 ? 'AM' : 'PM'),
  F: (wall) => wall.toISOString().slice(0, 10),
  R: (wall) => wall.toISOString().slice(11, 16),
  T: (wall) => wall.toISOString().slice(11, 19),
  Z: (_, zone) => zone,
  '%': () => '%',
};

/** A value that is no time stays as it is. */
export function dateText(time: unknown, format: unknown = '%F %R', zone: unknown = 'UTC'): unknown {
  if (!(time instanceof Date)) return time;
  const [form, name] = [String(format), String(zone)];
  if (form.length > LONGEST_FORMAT)
    throw new TemplateFault(`A format of a time has ${LONGEST_FORMAT} characters at most.`);
  if (!isZone(name)) throw new TemplateFault('There is no such time zone. Give its IANA name, such as Europe/Berlin.');
  const wall = new Date(time.getTime() + offsetAt(name, time.getTime()));
  return form.replaceAll(LETTER, (whole, bare: string, letter: string) => {
    const text = LETTERS[letter]?.(wall, name) ?? whole;
    return bare === '' ? text : text.replace(/^[0 ](?=.)/, '');
  });
}
