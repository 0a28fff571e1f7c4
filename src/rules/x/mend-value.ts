/** Guesses what was meant by a value that an operator does not accept, and says what it accepts. */
import type { Fix, Intent, Span } from '../diagnostic.ts';
import { quoted } from './lexer.ts';
import type { Operator } from './syntax-table.ts';

export interface MendedValue {
  readonly plain?: string;
  readonly fixes: readonly Fix[];
}

interface Written {
  /** The whole clause. */
  readonly start: number;
  readonly end: number;
  /** The operator's name as it was written. */
  readonly name: string;
  /** The text after the colon, without quotes or brackets. */
  readonly value: string;
}

export function mendValue(operator: Operator, { start, end, name, value }: Written): MendedValue {
  const clause = (text: string, meaning?: string): Fix => ({
    span: { start, end },
    text: `${name}:${text}`,
    ...(meaning !== undefined && { meaning }),
  });
  const listed = LISTED.has(operator.value) ? eachOf(name, value, { start, end }) : undefined;
  if (listed !== undefined) return { plain: `${name}: takes one value; join several by OR.`, fixes: [listed] };
  switch (operator.value) {
    case 'count':
    case 'minimum': {
      const range = rangeOf(value, operator.value === 'minimum');
      const plain = `${name}: takes a whole number, which means at least that many${operator.value === 'count' ? ', or a range such as 100..500' : ''}.`;
      return { plain, fixes: range === undefined ? [] : [clause(range.text, range.meaning)] };
    }
    case 'url':
    case 'substring':
      return value.includes('*')
        ? { plain: 'X has no wildcards; name a piece of the address.', fixes: withoutStars(value, { start, end }) }
        : { fixes: [] };
    case 'user':
      return { plain: `${name}: takes one username without @, or a user id.`, fixes: [] };
    case 'language': {
      const code = LANGUAGE_NAMES.get(value.toLowerCase());
      return { plain: `${name}: takes a code such as en or ja.`, fixes: code === undefined ? [] : [clause(code)] };
    }
    case 'country': {
      const code = COUNTRIES.get(value.toLowerCase());
      return {
        plain: `${name}: takes a two-letter country code such as US.`,
        fixes: code === undefined ? [] : [clause(code)],
      };
    }
    case 'circle': {
      const plain = `${name}: takes [longitude latitude radius], the radius with mi or km right behind it and under 25mi (40.2km).`;
      return { plain, fixes: circlesOf(value).map(([text, meaning]) => clause(`[${text}]`, meaning)) };
    }
    case 'sample': {
      const percent = /^(\d{1,3})\s*%$/.exec(value)?.[1];
      return {
        plain: `${name}: takes a whole number of percent from 1 to 100.`,
        fixes: percent === undefined ? [] : [clause(percent)],
      };
    }
    default:
      return { fixes: [] };
  }
}

/** The pieces of an address between the stars, each of which a link must contain. */
export function withoutStars(value: string, span: Span): Fix[] {
  const pieces = value.split('*').filter((piece) => /[\p{L}\p{N}]/u.test(piece));
  if (pieces.length === 0) return [];
  const clauses = pieces.map((piece) => `url_contains:${quoted(piece)}`);
  const text = clauses.length === 1 ? clauses[0]! : `(${clauses.join(' ')})`;
  const meaning = `posts with a link that contains ${pieces.join(' and ')}`;
  return [{ span, text, meaning, intent: { all: clauses.map((clause) => ({ clause })) } }];
}

const LISTED: ReadonlySet<string> = new Set(['user', 'language', 'country', 'id', 'choice']);

/** `from:a,b` is either of the two. */
function eachOf(name: string, value: string, span: { start: number; end: number }): Fix | undefined {
  const values = value.split(/[,;|]/).map((one) => one.trim().replace(/^@/, ''));
  if (values.length < 2 || values.length > 50 || !values.every((one) => /^[\w-]+$/.test(one))) return undefined;
  const clauses = values.map((one) => `${name}:${one}`);
  const intent: Intent = { any: clauses.map((clause) => ({ clause })) };
  return { span, text: `(${clauses.join(' OR ')})`, meaning: `any of ${values.join(', ')}`, intent };
}

const UNITS: Readonly<Record<string, number>> = { '': 1, k: 1_000, m: 1_000_000 };

/** Several blanks side by side mean what one means, and are read in linear time. */
const inOneBlank = (value: string): string => value.replaceAll(/\s+/g, ' ');

function rangeOf(value: string, minimum: boolean): { text: string; meaning: string } | undefined {
  const plain = inOneBlank(value.toLowerCase()).replaceAll(/(\d)[,_](?=\d{3})/g, '$1');
  const [, sign = '', first = '', dots = '', second = '', plus = ''] =
    /^([<>]=?|=)? ?(\d{1,15}[km]?)? ?(?:(\.{2,3}|-|–|to) ?(\d{1,15}[km]?)?)?(\+)?$/.exec(plain) ?? [];
  const [from, to] = [numberOf(first), numberOf(second)];
  if (sign.startsWith('<') && from !== undefined && dots === '' && !minimum) {
    const most = sign === '<' ? from - 1 : from;
    return most < 0 ? undefined : { text: `0..${most}`, meaning: `at most ${most}` };
  }
  if (plus !== '' && dots !== '') return undefined;
  if (dots !== '' && to !== undefined && sign === '' && !minimum) {
    const [low, high] = [Math.min(from ?? 0, to), Math.max(from ?? 0, to)];
    return { text: `${low}..${high}`, meaning: `from ${low} to ${high}` };
  }
  if (from === undefined || (dots !== '' && to !== undefined) || sign.startsWith('<')) return undefined;
  const least = sign === '>' ? from + 1 : from;
  return { text: String(least), meaning: `at least ${least}` };
}

function numberOf(text: string): number | undefined {
  const [, digits = '', unit = ''] = /^(\d+)([km]?)$/.exec(text) ?? [];
  return digits === '' ? undefined : Number(digits) * UNITS[unit]!;
}

/** `[1 2 16 km]` and `[1 2 16]`: the unit is separate or missing. */
function circlesOf(value: string): [string, string | undefined][] {
  const [, place = '', size = '', unit = ''] =
    /^ ?(-?[\d.]+[ ,]+-?[\d.]+)[ ,]+([\d.]+) ?(km|mi|kms|miles|mile|kilometers|m)? ?$/i.exec(inOneBlank(value)) ?? [];
  if (place === '') return [];
  const at = place.replaceAll(/[ ,]+/g, ' ');
  if (unit === '') return ['km', 'mi'].map((one) => [`${at} ${size}${one}`, `${size} ${one} around the point`]);
  if (unit.toLowerCase() === 'm') return [[`${at} ${Number(size) / 1000}km`, `${size} metres around the point`]];
  return [[`${at} ${size}${unit.toLowerCase().startsWith('k') ? 'km' : 'mi'}`, undefined]];
}

export const LANGUAGE_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    english: 'en',
    eng: 'en',
    spanish: 'es',
    french: 'fr',
    german: 'de',
    italian: 'it',
    portuguese: 'pt',
    dutch: 'nl',
    russian: 'ru',
    ukrainian: 'uk',
    japanese: 'ja',
    korean: 'ko',
    chinese: 'zh',
    arabic: 'ar',
    hindi: 'hi',
    turkish: 'tr',
    polish: 'pl',
    swedish: 'sv',
    hebrew: 'iw',
    indonesian: 'in',
    en_us: 'en',
    en_gb: 'en',
    pt_br: 'pt',
  }),
);

const COUNTRIES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    usa: 'US',
    america: 'US',
    'united states': 'US',
    gbr: 'GB',
    britain: 'GB',
    england: 'GB',
    'united kingdom': 'GB',
    germany: 'DE',
    deu: 'DE',
    france: 'FR',
    fra: 'FR',
    spain: 'ES',
    esp: 'ES',
    italy: 'IT',
    ita: 'IT',
    canada: 'CA',
    can: 'CA',
    japan: 'JP',
    jpn: 'JP',
    india: 'IN',
    ind: 'IN',
    brazil: 'BR',
    bra: 'BR',
    mexico: 'MX',
    mex: 'MX',
    australia: 'AU',
    aus: 'AU',
    china: 'CN',
    chn: 'CN',
    ireland: 'IE',
    netherlands: 'NL',
    ukraine: 'UA',
  }),
);
