/** Inputs of the shape that an operation or a tool asks for, with one field as bad as it gets. */
import { pick, type Random } from '../../bench/random.ts';
import { filled } from '../complexity/hard-texts.ts';

/** The description of a value: the parts of JSON Schema that ours use. */
export interface Described {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Described[];
  readonly properties?: Readonly<Record<string, Described>>;
  readonly required?: readonly string[];
  readonly items?: Described;
}

/** The longest that fits into a body with the rest. */
const LARGEST = 250_000;

/** The units of texts that somebody has to cut, escape or look for the end of. */
export const UNITS = [
  'a',
  'a ',
  '(',
  '"',
  '\\',
  '9',
  'a,',
  '-a ',
  '/a',
  'a.',
  '*',
  '😀',
  '\u0000',
  '\ud800',
  'é',
  '[[',
  '%',
  '<a>',
  '\u0301\u0323',
  '\u0f73',
];

/** Some sizes go right to the limit: the middle ones are found by the other requests. */
const sizeOf = (random: Random): number => (random() < 0.3 ? LARGEST : Math.ceil(LARGEST * random() ** 4));

/** As many as a body may hold, or more. */
const many = (make: (index: number) => unknown) => (random: Random) =>
  Array.from({ length: random() < 0.8 ? Math.min(sizeOf(random) / 8, 4_950) : sizeOf(random) / 8 }, (_, index) =>
    make(index),
  );

const WORST: readonly ((random: Random) => unknown)[] = [
  (random) => filled(pick(random, UNITS), sizeOf(random) / 6),
  (random) => filled(pick(random, UNITS), sizeOf(random) / 20),
  (random) => filled(pick(random, UNITS), sizeOf(random) / 100),
  many((index) => String(index % 1_000)),
  many((index) => `rule_${index}`),
  many(() => 1),
  many(() => null),
  many(() => ({})),
  many(() => ({ a: 1 })),
  (random) => Object.fromEntries(many((index) => [`k${index}`, 'a'])(random) as [string, string][]),
  () => JSON.parse(`${'['.repeat(28)}${']'.repeat(28)}`),
  (random) => pick(random, [-1, 1e308, 0.1, null, true, {}, [], '']),
];

const inner = (described: Described): Described => described.anyOf?.find(({ type }) => type !== 'null') ?? described;

/** A value that may be taken; ids are those of nothing, so that nothing that others need is changed. */
export function plain(described: Described): unknown {
  const { type, const: only, enum: some, properties = {}, required = [], items } = inner(described);
  if (only !== undefined) return only;
  if (some !== undefined) return some[0];
  if (type === 'object') return Object.fromEntries(required.map((name) => [name, plain(properties[name] ?? {})]));
  if (type === 'array') return [plain(items ?? {})];
  if (type === 'boolean') return false;
  return type === 'integer' || type === 'number' ? 1 : 'lava';
}

/** Addresses and patterns that have to be read; an unknown option, so that nothing is fetched in the end. */
const worstOptions = (random: Random): object => ({
  urls: Array.from({ length: Math.ceil(random() * 20) }, (_, at) => `https://${hostOf(random)}/${at}`),
  ignore_text: Array.from({ length: Math.ceil(random() * 20) }, () => pick(random, HARD_PATTERNS)),
  unknown: 1,
});
const hostOf = (random: Random): string =>
  Array.from({ length: Math.ceil(random() * (random() < 0.5 ? 60 : 3_000)) }, () =>
    String.fromCodePoint(0x4e00 + Math.floor(random() * 20_000)),
  ).join('');
const HARD_PATTERNS: readonly string[] = ['(a|b).{60}', '(a|b|c|d|e|f|g|h){1,100}x', 'a.{8}b', 'lava', '\\d+ views'];

/** One field, or a field of a field, is as bad as it gets. */
export function worstInput(random: Random, described: Described): unknown {
  const { type, properties = {}, items } = inner(described);
  const names = Object.keys(properties);
  if (type === 'array' && items !== undefined && random() < 0.5) return [worstInput(random, items)];
  if (type !== 'object' || names.length === 0) return pick(random, WORST)(random);
  if ('kind' in properties && 'options' in properties && random() < 0.5)
    return { ...(plain(described) as object), kind: 'watch', options: worstOptions(random) };
  const name = pick(random, names);
  const goesOn = random() < 0.5;
  const value = goesOn ? worstInput(random, properties[name]!) : pick(random, WORST)(random);
  return { ...(plain(described) as object), [name]: value };
}
