/** Diagnostics of single clauses that are legal but rarely mean what Lucene reads. */
import type { Fix, Span } from '../diagnostic.ts';
import { endOf } from '../habits/conditions.ts';
import { isSayable } from '../habits/habit.ts';
import { analyze } from './build.ts';
import { escapeTerm, floatOf, quote } from './escape.ts';
import { type Report, replaceWith } from './messages.ts';
import { fieldNamed, LIMITS } from './syntax-table.ts';
import type { Leaf } from './syntax-tree.ts';
import { fold } from './words.ts';

export function checkLeaf(rule: string, leaf: Leaf, report: Report): void {
  const kind = fieldNamed(leaf.field)?.kind ?? 'text';
  switch (leaf.form) {
    case 'term':
      if (leaf.text.startsWith('>') || leaf.text.startsWith('<')) checkComparison(leaf, kind === 'exact', report);
      if (leaf.tilde !== undefined) checkFuzzy(leaf, report);
      else if (kind === 'text') checkWord(leaf.text, leaf, leaf.field, report);
      return;
    case 'run':
      if (kind === 'exact') checkExactRun(rule, leaf, report);
      else if (kind === 'text') checkRun(rule, leaf, report);
      return;
    case 'quoted':
      checkQuoted(leaf, kind === 'exact', report);
      return;
    case 'wildcard':
      checkWildcard(rule, leaf, kind, report);
      return;
    case 'regex':
      checkRegex(rule, leaf, report);
      return;
    case 'range':
      return;
    case 'sign':
      return;
    case 'prefix':
      return;
  }
}

function checkRun(rule: string, leaf: Leaf, report: Report): void {
  for (const span of wordSpans(rule, leaf)) {
    if (report.full) return;
    checkWord(rule.slice(span.start, span.end), span, leaf.field, report);
  }
}

function* wordSpans(rule: string, { start, end }: Span): Generator<Span> {
  for (const match of rule.slice(start, end).matchAll(/(?:\\.|[^\s\u3000\\])+/gsu)) {
    yield { start: start + match.index, end: start + match.index + match[0].length };
  }
}

function checkWord(word: string, span: Span, field: string, report: Report): void {
  if (/^[a-z]+$/i.test(word) || CURLY.test(word)) return;
  if (ODD_BLANK.test(word)) {
    checkBlank(word, span, report);
    return;
  }
  if (/^[#@]\w/.test(word)) {
    const name = word.slice(1);
    report.add(
      'other-language',
      span,
      `Pages have no ${word[0] === '#' ? 'hashtags' : 'mentions'}: this is the word ${name}.`,
      replaceWith(span, name),
    );
  } else if (/^\$[A-Za-z]/.test(word)) {
    report.add(
      'filter-reference',
      span,
      `${word} names a filter of the dashboard; here it is searched for as plain words.`,
    );
  } else checkCut(word, span, field, report);
}

const ODD_BLANK = /[\u00a0\u00ad\u200b\u2060\ufeff]/;

/** A blank that Lucene does not treat as one joins two words until analysis cuts them. */
function checkBlank(word: string, span: Span, report: Report): void {
  const [odd] = ODD_BLANK.exec(word)!;
  const parts = word.split(new RegExp(ODD_BLANK, 'g')).filter((part) => part !== '');
  const name = `U+${odd.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
  const clauses = parts.map((clause) => ({ clause }));
  const fixes: Fix[] = [
    { span, text: `(${parts.join(' AND ')})`, meaning: `pages with ${parts.join(' and ')}`, intent: { all: clauses } },
    { span, text: quote(parts.join(' ')), meaning: `pages with the phrase ${parts.join(' ')}` },
  ];
  const message = `The character ${name} is no blank here, so this is one word to the parser; type a plain blank.`;
  report.add('odd-blank', span, message, parts.length > 1 ? fixes : replaceWith(span, parts.join('')));
}

/** How the tokenizer splits a word that contains signs. */
function checkCut(word: string, span: Span, field: string, report: Report): void {
  if (word.includes('\\')) return;
  const [, name = '', value = ''] = /^(\w+)=+([^=]+)$/.exec(word) ?? [];
  const words = analyze(field, word).filter((one) => one !== null);
  const listed = word.split(/,|;|\|\|?|(&&)/).filter((one) => one !== undefined);
  if (/^dr[<>]=?\d{1,3}$/.test(word)) {
    const range = comparisonRange(word.slice(2))!;
    report.add(
      'comparison-sign',
      span,
      `A rating is compared by a range; write dr:${range}.`,
      replaceWith(span, `dr:${range}`),
    );
    return;
  }
  if (fieldNamed(field) === undefined) return;
  if (fieldNamed(name) !== undefined) {
    report.add(
      'split-word',
      span,
      `= is no operator here; write ${name}: before the value.`,
      replaceWith(span, `${name}:${value}`),
    );
  } else if (words.length > 1) {
    const message = `${word} is cut into ${words.join(' and ')}, and one of them is enough; quote it to keep it together.`;
    report.add(
      'split-word',
      span,
      message,
      isList(listed) ? listFixes(listed, field, span) : isSayable(word) ? replaceWith(span, quote(word)) : undefined,
    );
  } else checkChanged(word, words, span, report);
}

const isList = (parts: readonly string[]) =>
  parts.length > 1 && parts.every((part) => part === '&&' || /^\p{L}[\p{L}\p{N}]*$/u.test(part));

/** `tesla,ford` is a list of words, any or all of which are meant; `tesla&&ford` is both. */
function listFixes(parts: readonly string[], field: string, span: Span): Fix[] {
  const words = parts.filter((part) => part !== '&&');
  const of = words.map((word) => ({ clause: `${field}:${word}` }));
  const every: Fix = {
    span,
    text: `(${words.join(' AND ')})`,
    meaning: `pages with ${words.join(' and ')}`,
    intent: { all: of },
  };
  if (parts.includes('&&')) return [every];
  return [
    { span, text: `(${words.join(' OR ')})`, meaning: `pages with ${words.join(' or ')}`, intent: { any: of } },
    every,
  ];
}

/** Signs that belong to a name, and stop words: the search is for something else than the text says. */
function checkChanged(word: string, words: readonly string[], span: Span, report: Report): void {
  const [only] = words;
  if (only === undefined) return;
  const lost = fold(word).replace(only, '');
  if (!/[+#&@%$§€£]|^\.|[\p{L}\p{N}]/u.test(lost)) return;
  const message = `Only the word ${only} is searched for: signs and very common words are left out. Add words that tell what you mean.`;
  report.add('changed-word', span, message);
}

export const CURLY = /[“”„‟]/;

/** Single quotes around several words. */
export const SINGLE = /(?<=^|[\s(:])['‘][^'‘’"\s]+(?:\s[^'‘’"\s]+)+['’](?=$|[\s)])/;

/** Pairs of curly quotes in a text that has some outside straight ones. */
export function checkCurlyQuotes(rule: string, report: Report): void {
  const quotes = /[“”„‟][^“”„‟"]{0,500}[“”„‟]|[“”„‟]|(?<=^|[\s(:])['‘][^'‘’"]{1,500}['’](?=$|[\s)])/g;
  for (const match of rule.matchAll(quotes)) {
    const span = { start: match.index, end: match.index + match[0].length };
    const fix = match[0].length > 2 ? replaceWith(span, `"${match[0].slice(1, -1)}"`) : undefined;
    const message = 'Only straight double quotes make a phrase; these are plain characters, so use those.';
    report.add('curly-quotes', span, message, fix);
  }
}

function checkExactRun(rule: string, leaf: Leaf, report: Report): void {
  const words = [...wordSpans(rule, leaf)].map(({ start, end }) => rule.slice(start, end));
  const message = `This is one value, "${leaf.text}"; put OR between the words.`;
  report.add('run-in-exact-field', leaf, message, replaceWith(leaf, words.join(' OR ')));
}

function checkFuzzy(leaf: Leaf, report: Report): void {
  const wanted = floatOf(leaf.tilde ?? '');
  if (wanted === undefined || wanted <= LIMITS.edits) return;
  report.add(
    'capped-fuzzy',
    leaf,
    'At most 2 edits are possible, so this is ~2.',
    replaceWith(leaf, `${escapeTerm(leaf.text)}~2`),
  );
}

function checkQuoted(leaf: Leaf, exact: boolean, report: Report): void {
  const { text } = leaf;
  if (!exact && fieldNamed(leaf.field)?.kind === 'text') {
    const words = analyze(leaf.field, text).filter((one) => one !== null);
    if (words.length === 1) checkChanged(text, words, leaf, report);
  }
  if (!(exact ? /[*?]/ : /\w\*|\*\w|\w\?\w/).test(text)) return;
  // A query string in a quoted URL is intended.
  if (exact && !text.includes('*')) return;
  const pattern = text.replace(/[+\-!():^[\]"{}~\\/\s]/g, '\\$&');
  const fix = exact || !/\s/.test(text) ? replaceWith(leaf, pattern) : undefined;
  report.add('wildcard-in-quotes', leaf, 'In quotes * and ? are plain characters.', fix);
}

function checkWildcard(rule: string, leaf: Leaf, kind: string, report: Report): void {
  if (kind !== 'text' || !/^[^*?\\]+\?$/.test(leaf.text)) return;
  const word = leaf.text.slice(0, -1);
  const span = { start: leaf.start, end: leaf.start + leaf.text.length };
  if (rule.slice(span.start, span.end) !== leaf.text) return;
  report.add(
    'single-character',
    span,
    `? stands for exactly one character: this does not find "${word}" itself.`,
    replaceWith(span, word),
  );
}

function checkRegex(rule: string, leaf: Leaf, report: Report): void {
  const { text } = leaf;
  const anchored = text.startsWith('^') || /(?:^|[^\\])(?:\\\\)*\$$/.test(text);
  const end = leaf.start + text.length + 2;
  const span = { start: leaf.start, end };
  // The text ends before a pattern that nothing closes would, and its slash is what to mend.
  if (rule.charAt(end - 1) !== '/') return;
  if (anchored) {
    const fixed = `/${text.replace(/^\^/, '').replace(/\$$/, '')}/`;
    report.add(
      'regex-anchor',
      span,
      '^ and $ are plain characters here: a pattern always covers the whole value.',
      replaceWith(span, fixed),
    );
  }
  if (/(?:^|[^\\])(?:\\\\)*[&#]/.test(text) && leaf.field === 'url') {
    const fixed = `/${text.replace(/\\.|[&#]/gsu, (one) => (one.startsWith('\\') ? one : `\\${one}`))}/`;
    report.add(
      'regex-operator',
      span,
      '& intersects two patterns and # matches nothing; write \\& and \\# for the characters.',
      replaceWith(span, fixed),
    );
  }
}

/** `>=5` as a range. */
function comparisonRange(text: string): string | undefined {
  const [, sign = '', equal = '', value = ''] = /^([<>])(=?)(.+)$/.exec(text) ?? [];
  if (value === '') return undefined;
  const isIncluded = equal === '=';
  return sign === '>'
    ? `${isIncluded ? '[' : '{'}${value} TO *]`
    : `[* TO ${isIncluded ? `${endOf(value)}]` : `${value}}`}`;
}

function checkComparison(leaf: Leaf, exact: boolean, report: Report): void {
  const [, sign = '', value = ''] = /^([<>])=?(.+)$/.exec(leaf.text) ?? [];
  if (leaf.fieldSpan === undefined || value === '' || leaf.field === 'dr') return;
  const range = comparisonRange(leaf.text)!;
  const fix = exact && /^[\w.:-]+$/.test(value) ? replaceWith(leaf, range) : undefined;
  report.add('comparison-sign', leaf, `${sign} is a plain character here; write a range: ${leaf.field}:${range}.`, fix);
}

/** A dash or exclamation mark between blanks may be an exclusion; attached to a word it is punctuation. */
export function checkSign(rule: string, leaf: Leaf, excluding: () => readonly Fix[], report: Report): void {
  const sign = rule[leaf.start]!;
  const glued = leaf.start > 0 && !/[\s\u3000(]/.test(rule[leaf.start - 1]!);
  const message = `${sign} with a blank behind it is a word of its own and has no effect; remove the blank, or the sign.`;
  const plain: Fix = {
    ...replaceWith({ start: leaf.start, end: leaf.start + (glued ? 1 : 2) }, ''),
    meaning: `the same, without the ${sign}`,
    intent: 'same',
  };
  const excludes = !glued && sign !== '+' ? excluding() : [];
  report.add('bare-sign', { start: leaf.start, end: leaf.start + 1 }, message, excludes.length > 0 ? excludes : plain);
}
