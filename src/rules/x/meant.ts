/** Guesses which operator was meant by a name that X does not know. */
import type { Fix } from '../diagnostic.ts';
import { quoted, type Token } from './lexer.ts';
import { replace } from './messages.ts';
import { MEANT, OPERATOR_BY_NAME, type Operator } from './syntax-table.ts';

export function meantOperator({ name, text, start, valueStart, form }: Token, end: number): Fix | undefined {
  if (name === 'geocode') return circleOf(text, start, end);
  // A comparison is not a text to search for.
  if (/^[<>=]/.test(text)) return MEANT.has(name) ? replace(start, valueStart, MEANT.get(name)!) : undefined;
  const whole = MEANT.get(`${name}:${text.toLowerCase()}`);
  if (whole !== undefined) return replace(start, end, whole);
  const named = MEANT.get(name) ?? nearest(name, [...OPERATOR_BY_NAME.keys()], ':');
  // An account is named without its sign.
  if (named !== undefined && /^(?:from|to|retweets_of):$|^@$/.test(named) && /^@\w+$/.test(text))
    return replace(start, end, named + text.slice(1));
  // A quoted value is one clause with its name.
  if (named !== undefined && form === 'quoted') return replace(start, end, `${named}${quoted(text)}`);
  if (named !== undefined) return replace(start, valueStart, named);
  // An address: the name is its scheme, and the rest confirms it.
  if (form === 'bare' && text.startsWith('//'))
    return replace(start, end, `url:"${name}:${text.replaceAll(/["\\]/g, '\\$&')}"`);
  return undefined;
}

/** `geocode:latitude,longitude,radius` of X's old search. */
function circleOf(value: string, start: number, end: number): Fix | undefined {
  const [, latitude, longitude, radius] = /^(-?[\d.]+),(-?[\d.]+),([\d.]+(?:km|mi))$/.exec(value) ?? [];
  return radius === undefined ? undefined : replace(start, end, `point_radius:[${longitude} ${latitude} ${radius}]`);
}

export function meantValue({ name, text, start }: Token, { choices = [] }: Operator, end: number): Fix | undefined {
  const written = `${name}:${text.toLowerCase()}`;
  const values = choices.flatMap((choice) => [choice.value, ...(choice.aliases ?? [])]);
  const value = nearest(text.toLowerCase(), values, '');
  const meant = MEANT.get(written) ?? (value && `${name}:${value}`);
  return meant === undefined ? undefined : replace(start, end, meant);
}

/** The candidate that differs by one letter, or by two swapped neighbours. Short names are too similar to guess. */
function nearest(name: string, candidates: readonly string[], suffix: string): string | undefined {
  if (name.length < 3 || name.length > 24) return undefined;
  const found = candidates.find((candidate) => isAlmost(name, candidate));
  return found === undefined ? undefined : found + suffix;
}

function isAlmost(one: string, other: string): boolean {
  if (Math.abs(one.length - other.length) > 1) return false;
  let from = 0;
  while (from < one.length && one[from] === other[from]) from++;
  const rest = (text: string, skip: number) => text.slice(from + skip);
  if (one.length > other.length) return rest(one, 1) === rest(other, 0);
  if (one.length < other.length) return rest(one, 0) === rest(other, 1);
  const swapped = one[from] === other[from + 1] && one[from + 1] === other[from] && rest(one, 2) === rest(other, 2);
  return swapped || rest(one, 1) === rest(other, 1);
}
