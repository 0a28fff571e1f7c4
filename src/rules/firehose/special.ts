/** The two fields that Lucene does not know: `dr`, a number, and `recent`, a condition on the rule as a whole. */
import type { Bound } from '../query.ts';
import type { Built } from './build.ts';
import { type Report, replaceWith } from './messages.ts';
import type { Leaf } from './syntax-tree.ts';

const HOUR = 3_600_000;
export const UNITS: Readonly<Record<string, number>> = { h: HOUR, d: 24 * HOUR, mo: 30 * 24 * HOUR };

export function buildSpecial(leaf: Leaf, report: Report): Built | undefined {
  return leaf.field === 'recent' ? buildRecent(leaf, report) : buildNumber(leaf, report);
}

function buildRecent(leaf: Leaf, report: Report): Built | undefined {
  const plain = (leaf.form === 'term' || leaf.form === 'quoted') && leaf.tilde === undefined;
  const [, count = '', unit = ''] = plain ? (/^(\d{1,6})(h|d|mo)$/.exec(leaf.text) ?? []) : [];
  if (Number(count) > 0) return { kind: 'recent', milliseconds: Number(count) * UNITS[unit]!, text: leaf.text };
  report.add('bad-recent', leaf, recentMessage(leaf, plain), recentFix(leaf, plain));
  return undefined;
}

function recentMessage({ text }: Leaf, plain: boolean): string {
  if (!plain) return 'recent takes a single value such as 24h, 7d or 1mo: no range, wildcard or ~.';
  if (/^0+(h|d|mo)$/.test(text)) return 'The number must be positive, as in recent:24h.';
  return 'recent takes a whole number with the unit h, d or mo: 24h, 7d, 1mo.';
}

const OTHER_UNITS: Readonly<Record<string, readonly [string, number]>> = {
  m: ['h', 1 / 60],
  min: ['h', 1 / 60],
  w: ['d', 7],
  y: ['d', 365],
  hour: ['h', 1],
  hours: ['h', 1],
  hr: ['h', 1],
  hrs: ['h', 1],
  minutes: ['h', 1 / 60],
  day: ['d', 1],
  days: ['d', 1],
  week: ['d', 7],
  weeks: ['d', 7],
  month: ['mo', 1],
  months: ['mo', 1],
  year: ['d', 365],
};

function recentFix(leaf: Leaf, plain: boolean): ReturnType<typeof replaceWith> | undefined {
  const [, count = '', unit = ''] = /^(\d{1,5})([a-z]+)$/.exec(leaf.text.toLowerCase()) ?? [];
  if (!plain || Number(count) === 0) return undefined;
  const [to, factor] = unit in UNITS ? [unit, 1] : (OTHER_UNITS[unit] ?? ['', 0]);
  return to === '' ? undefined : replaceWith(leaf, `${Math.ceil(Number(count) * factor)}${to}`);
}

function buildNumber(leaf: Leaf, report: Report): Built | undefined {
  const { field, range } = leaf;
  const plain = leaf.form === 'term' || leaf.form === 'quoted' || leaf.form === 'range';
  if (plain && leaf.tilde === undefined) {
    const from = range === undefined ? numberBound(leaf.text, true) : numberBound(range.from, range.fromInclusive);
    const to = range === undefined ? from : numberBound(range.to, range.toInclusive);
    if (from !== 'bad' && to !== 'bad') return { kind: 'number', field, ...(from && { from }), ...(to && { to }) };
  }
  if (leaf.form === 'wildcard' && leaf.text === '*') return { kind: 'number', field };
  report.add('bad-number', leaf, comparisonMessage(leaf), comparisonFix(leaf));
  return undefined;
}

function numberBound(text: string | undefined, inclusive: boolean): Bound<number> | 'bad' | undefined {
  if (text === undefined) return undefined;
  return /^\d{1,9}(\.\d{1,9})?$/.test(text) ? { value: Number(text), inclusive } : 'bad';
}

const COMPARISON = /^([<>])(=?)(\d+(?:\.\d+)?)$/;

const comparisonMessage = ({ text, field }: Leaf) =>
  COMPARISON.test(text)
    ? `${field} takes a number or a range; write ${field}:[50 TO *] for "at least 50".`
    : `${field} takes a number, ${field}:50, or a range, ${field}:[50 TO 100].`;

function comparisonFix(leaf: Leaf): ReturnType<typeof replaceWith> | undefined {
  const [, sign, equal, number] = COMPARISON.exec(leaf.text) ?? [];
  const [, from, to] = /^(\d{1,3})(?:\+|\s*(?:-|–|\.\.|TO|to|,)\s*(\d{1,3}))$/.exec(leaf.text) ?? [];
  if (from !== undefined) return replaceWith(leaf, `[${from} TO ${to ?? '*'}]`);
  if (number === undefined) return undefined;
  const inclusive = equal === '=';
  return replaceWith(
    leaf,
    sign === '>' ? `${inclusive ? '[' : '{'}${number} TO *]` : `[* TO ${number}${inclusive ? ']' : '}'}`,
  );
}
