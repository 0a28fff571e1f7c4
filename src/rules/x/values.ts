/** Turns the text after an operator's colon into a query, or says why X would refuse it. */
import { all, any, type Query } from '../query.ts';
import { type Operator, STOP_WORDS } from './syntax-table.ts';
import { fold, scanWholeRuns, scanWords, wordsOf } from './words.ts';

export interface TextReading {
  /** `literal`: a phrase is compared character for character. `words`: punctuation counts as a blank. */
  readonly phrases: 'literal' | 'words';
  /** `substring`: a keyword of a script without blanks is found inside runs. `whole-run`: it must be the whole run. */
  readonly spaceless: 'substring' | 'whole-run';
}

/** A query, or X's refusal without the position. */
export type ReadValue = Query | { readonly kind: 'refused'; readonly why: string; readonly choice?: true };

const refused = (why: string): ReadValue => ({ kind: 'refused', why });

export function readValue(operator: Operator, value: string, reading: TextReading): ReadValue {
  const { name, field = name } = operator;
  switch (operator.value) {
    case 'user':
      return isUser(value) ? term(field, fold(value)) : refused(`${name} must be a username or a user id`);
    case 'id':
      return isDigits(value, 19) ? term(field, value) : refused(`${name} must be a post id`);
    case 'count':
      return readCount(name, field, value);
    case 'minimum':
      return isDigits(value, 15) ? atLeast(field, Number(value)) : refused(`${name} must be an integer`);
    case 'text':
      return readText(field, value, reading) ?? refused(`${name} must hold a word`);
    case 'name':
      return fold(value).trim() === '' ? refused(`${name} must hold a word`) : term(field, fold(value).trim());
    case 'url':
      return neighbours(field, wordsOf(fold(value))) ?? refused(`${name} must hold a word`);
    case 'substring':
      return fold(value) === ''
        ? refused(`${name} must hold a character`)
        : { kind: 'contains', field, text: fold(value) };
    case 'choice':
      return readChoice(operator, value);
    case 'language':
      return readLanguage(name, field, value);
    case 'country':
      return /^[a-z]{2}$/i.test(value)
        ? term(field, fold(value))
        : refused(`${name} must be a two-letter country code`);
    case 'place':
      return readPlace(name, value);
    case 'context':
      return /^(?:\d{1,20}|\*)\.(?:\d{1,20}|\*)$/.test(value) && value !== '*.*'
        ? term(field, value)
        : refused(`${name} must be a domain id and an entity id, one of them may be *`);
    case 'circle':
      return readCircle(name, value);
    case 'box':
      return readBox(name, value);
    case 'sample':
      return readSample(name, value);
    case 'meaning':
      return { kind: 'upstream', operator: 'embedding', value: value.trim() };
    case 'threshold':
      return /^(?:0(?:\.\d{1,9})?|1(?:\.0{1,9})?)$/.test(value)
        ? all([])
        : refused(`${name} must be a number between 0.0 and 1.0`);
  }
}

const term = (field: string, text: string): Query => ({ kind: 'term', field, term: text });
const atLeast = (field: string, value: number): Query => ({ kind: 'number', field, from: { value, inclusive: true } });

const isUser = (value: string) => /^\w{1,20}$/.test(value);
const isDigits = (value: string, most: number) => value.length <= most && /^\d+$/.test(value);

/** A keyword or a phrase: one plain word is a term, anything else is compared as it is written. */
export function readText(field: string, text: string, reading: TextReading): Query | undefined {
  const folded = fold(text).trim();
  const words = wordsOf(folded, reading.spaceless === 'substring' ? scanWords : scanWholeRuns);
  if (words.length === 1 && words[0] === folded) return term(field, folded);
  if (reading.phrases === 'words' && words.length > 0) return neighbours(field, words);
  return folded === '' ? undefined : { kind: 'literal', field, text: folded, terms: words };
}

export function readProximity(text: string, slop: number): Query | undefined {
  const words = wordsOf(fold(text));
  return words.length < 2 ? neighbours('text', words) : { kind: 'phrase', field: 'text', terms: words, slop };
}

function neighbours(field: string, terms: readonly string[]): Query | undefined {
  if (terms.length === 0) return undefined;
  return terms.length === 1 ? term(field, terms[0]!) : { kind: 'phrase', field, terms, slop: 0 };
}

export const isXStopWord = (keyword: string): boolean => STOP_WORDS.has(keyword.toLowerCase());

function readCount(name: string, field: string, value: string): ReadValue {
  const dots = value.indexOf('..');
  const from = dots < 0 ? value : value.slice(0, dots);
  const to = dots < 0 ? undefined : value.slice(dots + 2);
  if (!isDigits(from, 15) || (to !== undefined && !isDigits(to, 15))) {
    return refused(`${name} must be an integer or a range of integers`);
  }
  if (to === undefined) return atLeast(field, Number(from));
  if (Number(to) < Number(from)) return refused(`${name} range must not end before it starts`);
  return {
    kind: 'number',
    field,
    from: { value: Number(from), inclusive: true },
    to: { value: Number(to), inclusive: true },
  };
}

function readChoice({ name, choices = [] }: Operator, value: string): ReadValue {
  const wanted = value.toLowerCase();
  const choice = choices.find((one) => one.value === wanted || one.aliases?.includes(wanted));
  return choice === undefined ? { kind: 'refused', why: `${name}:${value}`, choice: true } : term(name, choice.value);
}

/** A post in Chinese may say just `zh`, whichever script it is in. */
function readLanguage(name: string, field: string, value: string): ReadValue {
  const code = value.toLowerCase();
  if (!/^[a-z]{2,3}(?:-[a-z]{2,4})?$/.test(code)) return refused(`${name} must be a language code`);
  if (code === 'zh-cn' || code === 'zh-tw') return any([term(field, code), term(field, 'zh')]);
  return term(field, code);
}

function readPlace(name: string, value: string): ReadValue {
  const folded = fold(value).trim();
  const words = neighbours('place', wordsOf(folded));
  return words === undefined ? refused(`${name} must hold a word`) : any([term('place_id', folded), words]);
}

function readSample(name: string, value: string): ReadValue {
  const percent = Number(value);
  return isDigits(value, 3) && percent >= 1 && percent <= 100
    ? { kind: 'sample', percent }
    : refused(`${name} must be an integer between 1 and 100`);
}

const METRES = { mi: 1609.344, km: 1000 } as const;
const LIMIT_METRES = 25 * METRES.mi;
const METRES_PER_DEGREE = (6_371_008.8 * Math.PI) / 180;
const NUMBER = /^-?\d{1,3}(?:\.\d{1,15})?$/;

function readCircle(name: string, value: string): ReadValue {
  const [longitude = '', latitude = '', size = '', ...rest] = value.trim().split(/\s+/);
  const radius = /^(\d{1,6}(?:\.\d{1,15})?)(mi|km)$/i.exec(size);
  if (rest.length > 0 || radius === null || !NUMBER.test(longitude) || !NUMBER.test(latitude)) {
    return refused(`${name} must be [longitude latitude radius], with a radius in mi or km`);
  }
  const wrong = outOfRange([Number(longitude)], [Number(latitude)]);
  if (wrong !== undefined) return refused(wrong);
  const metres = Number(radius[1]) * METRES[radius[2]!.toLowerCase() as keyof typeof METRES];
  if (metres >= LIMIT_METRES) return refused(`${name} radius must be less than 25mi`);
  if (metres <= 0) return refused(`${name} radius must be greater than 0`);
  return { kind: 'circle', longitude: Number(longitude), latitude: Number(latitude), radius: metres };
}

function readBox(name: string, value: string): ReadValue {
  const parts = value.trim().split(/\s+/);
  if (parts.length !== 4 || !parts.every((part) => NUMBER.test(part))) {
    return refused(`${name} must be [west south east north]`);
  }
  const [west, south, east, north] = parts.map(Number) as [number, number, number, number];
  const wrong = outOfRange([west, east], [south, north]);
  if (wrong !== undefined) return refused(wrong);
  if (west >= east || south >= north) return refused(`${name} west must be less than east, and south less than north`);
  const nearest = south <= 0 && north >= 0 ? 0 : Math.min(Math.abs(south), Math.abs(north));
  const width = (east - west) * METRES_PER_DEGREE * Math.cos((nearest * Math.PI) / 180);
  const height = (north - south) * METRES_PER_DEGREE;
  if (width >= LIMIT_METRES || height >= LIMIT_METRES)
    return refused(`${name} width and height must be less than 25mi`);
  return { kind: 'box', west, south, east, north };
}

function outOfRange(longitudes: readonly number[], latitudes: readonly number[]): string | undefined {
  if (longitudes.some((one) => Math.abs(one) > 180)) return 'longitude must be between -180 and 180';
  if (latitudes.some((one) => Math.abs(one) > 90)) return 'latitude must be between -90 and 90';
  return undefined;
}
