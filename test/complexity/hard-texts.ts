import { HARD_MARKS } from '../generated/marks.ts';

/** Texts of rules that are as bad as a length allows: deep, repetitive, broken, or wrong at every word. */
export const filled = (part: string, length: number): string =>
  part.repeat(Math.ceil(Math.max(0, length) / part.length)).slice(0, length);

const numbered = (length: number, make: (index: number) => string, separator = ' OR '): string => {
  const parts: string[] = [];
  for (let size = 0; size < length; size += parts.at(-1)!.length + separator.length) parts.push(make(parts.length));
  return parts.join(separator);
};

/** In the language of pages. */
export const PAGE_TEXTS: readonly ((length: number) => string)[] = [
  (length) => numbered(length, (index) => `w${index}`),
  (length) => numbered(length, (index) => `title:/(a+)+${index}/`),
  (length) => numbered(length, (index) => `*a${index}*b*`),
  (length) => numbered(length, (index) => `"a${index} b"~9`),
  (length) => numbered(length, (index) => `ab${index}~2`),
  (length) => `${'('.repeat(length / 2)}a${')'.repeat(length / 2)}`,
  (length) => filled('NOT (a OR ', length),
  (length) => `"${filled('a ', length)}"~40`,
  // Words with a gap, and with leeway: a text can be made that fits them nearly everywhere.
  (length) => `"${filled('b ', length)}a b"`,
  (length) => `"${filled('b ', length)}b"~3`,
  (length) => filled('AND ', length),
  (length) => filled('titel:a ', length),
  (length) => filled('"', length),
  (length) => filled('[1 TO ', length),
  (length) => filled('a && -', length),
  (length) => `title:b${filled(HARD_MARKS[0]!, length)}`,
  (length) => `page_category:"a${filled('/', length)}a"`,
  (length) => `dr:[${filled('.', length)};]`,
  (length) => `dr:[${filled('1-', length)};]`,
];

/** In the language of posts. */
export const POST_TEXTS: readonly ((length: number) => string)[] = [
  (length) => `(${numbered(length, (index) => `w${index}`)})`,
  (length) => numbered(length, (index) => `from:u${index}`),
  (length) => numbered(length, (index) => `w${index} -v${index}`, ' '),
  (length) => `${'('.repeat(length / 2)}a${')'.repeat(length / 2)}`,
  (length) => filled('a AND ', length),
  (length) => filled('form:a ', length),
  (length) => filled('-(a OR ', length),
  (length) => filled('"', length),
  (length) => filled('#', length),
  ...HARD_MARKS.map((marks) => (length: number) => `b${filled(marks, length).toWellFormed()}`),
  (length) => `"b ${filled(HARD_MARKS[0]!, length)}"`,
  (length) => `followers_count:"${filled(' ', length)}a"`,
  (length) => `point_radius:[${filled(' ', length)},a]`,
  (length) => `point_radius:[1 2 3${filled(' ', length)}a]`,
  (length) => `a ]${filled('[', length)}a`,
  (length) => numbered(length, (index) => `#b${index}${filled(HARD_MARKS[0]!, 90)}`),
];

/** Templates of messages, within the most parts or over them, right or broken. */
export const TEMPLATES: readonly ((length: number) => string)[] = [
  (length) => filled('{{text}}', length),
  (length) => filled('{{ text', length),
  (length) => `{{text${filled('|upcase', length - 8)}}}`.slice(0, length),
  (length) => `{%if text${filled(' and text', length - 40)}%}x{%endif%}`,
  (length) => filled('{%if text%}', length),
  (length) => filled('{%raw%}', length),
  (length) => filled('<b>', length),
  (length) => filled('</b>', length),
  (length) => filled('<a href="https://a', length),
  (length) => filled('&<', length),
  (length) => filled('\n', length - 1).concat('a'),
  (length) => `{{"${filled('a', length - 6)}"}}`,
];
