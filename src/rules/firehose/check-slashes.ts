/** Slashes and backslashes that almost certainly do not mean what Lucene reads: unquoted URLs, labels, dates. */
import type { Span } from '../diagnostic.ts';
import { escapeTerm, quote } from './escape.ts';
import { type Report, replaceWith } from './messages.ts';
import { fieldNamed } from './syntax-table.ts';
import type { Leaf } from './syntax-tree.ts';

/** The places of words that already have a diagnostic. */
export type Seen = Set<number>;

/** A regular expression with a word attached to it was not meant as one; nor was a bare label. */
export function checkAccidentalRegex(rule: string, leaf: Leaf, seen: Seen, report: Report): void {
  const end = leaf.start + leaf.text.length + 2;
  const gluedBefore = leaf.fieldSpan === undefined && leaf.start > 0 && !/[\s\u3000(+!-]/.test(rule[leaf.start - 1]!);
  const gluedBehind = end < rule.length && !/[\s\u3000)^~]/.test(rule[end]!);
  const isUrl = leaf.fieldSpan !== undefined && /^https?$/.test(leaf.field);
  if (!gluedBefore && !gluedBehind && !isUrl) {
    checkBareLabel(leaf, end, report);
    return;
  }
  const word = wordAround(rule, leaf.start, end);
  if (seen.has(word.start)) return;
  seen.add(word.start);
  report.add(
    'accidental-regex',
    { start: leaf.start, end },
    'Slashes make a regular expression of what is between them; quote the value or write \\/.',
    replaceWith(word, withoutRegex(rule.slice(word.start, word.end))),
  );
}

function checkBareLabel(leaf: Leaf, end: number, report: Report): void {
  if ((leaf.field !== 'page_category' && leaf.field !== 'page_type') || !/^[\w/\\&+,]+$/.test(leaf.text)) return;
  if (leaf.text.startsWith('\\/')) return;
  const span = { start: leaf.start, end };
  const message = `This is a regular expression; a label is quoted: ${leaf.field}:"/${leaf.text}".`;
  report.add('accidental-regex', span, message, replaceWith(span, quote(`/${leaf.text.replaceAll('\\', '')}`)));
}

function wordAround(rule: string, from: number, to: number): Span {
  let start = from;
  let end = to;
  while (start > 0 && !/[\s\u3000(]/.test(rule[start - 1]!)) start--;
  while (end < rule.length && !/[\s\u3000)]/.test(rule[end]!)) end++;
  return { start, end };
}

function withoutRegex(word: string): string {
  const [, sign = '', prefix = '', rest = ''] = /^([+-]?)((?:\w+:)?)(.*)$/s.exec(word) ?? [];
  const known = fieldNamed(prefix.slice(0, -1)) !== undefined;
  const field = known ? prefix : /^https?:$/.test(prefix) ? 'url:' : '';
  const value = known ? rest : prefix + rest;
  // Wildcards do not work in quotes.
  if (/[*?]/.test(value))
    return `${sign}${field}${escapeTerm(value)
      .replace(/\\\\?([*?])/g, '$1')
      .replaceAll('\\\\\\/', '\\/')}`;
  return `${sign}${field}${quote(value.replaceAll('\\', ''))}`;
}

/** `\\/` is how JSON spells `\/`; in a rule it is a backslash and a slash that still opens a regular expression. */
export function checkJsonEscapes(rule: string, seen: Seen, report: Report): void {
  for (const match of rule.matchAll(/\\\\(?=[/:])/g)) {
    const word = wordAround(rule, match.index, match.index + 2);
    if (seen.has(word.start)) continue;
    seen.add(word.start);
    const fixed = rule.slice(word.start, word.end).replaceAll('\\\\', '\\');
    const span = { start: match.index, end: match.index + 2 };
    report.add(
      'json-escape',
      span,
      'Two backslashes are the JSON spelling of one; in a rule write one.',
      replaceWith(word, fixed),
    );
  }
}

/** If every quote of a rule has a backslash before it, the rule was copied from JSON with its escapes. */
export function checkJsonQuotes(rule: string, seen: Seen, report: Report): void {
  if (/(?:^|[^\\])"/.test(rule)) return;
  const start = rule.indexOf('\\"');
  seen.add(start);
  const whole = { start: 0, end: rule.length };
  const message = 'A backslash before a quote is the JSON spelling; in a rule write the quote alone.';
  report.add('json-escape', { start, end: start + 2 }, message, replaceWith(whole, rule.replaceAll('\\"', '"')));
}
