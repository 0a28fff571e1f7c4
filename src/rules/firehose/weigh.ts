/** Diagnostics of the whole rule, from the analysis of its query. */
import { analyse } from '../analysis/analyse.ts';
import type { Fix, Intent } from '../diagnostic.ts';
import type { Built } from './build.ts';
import { factsOf } from './facts.ts';
import { locate } from './lower.ts';
import type { Code, Report } from './messages.ts';
import type { Clause, Group, Leaf } from './syntax-tree.ts';

/** Diagnostics that already say why a clause is never true. */
const EXPLAINS: ReadonlySet<string> = new Set<Code>([
  'unknown-field',
  'unknown-label',
  'unknown-language',
  'wrong-case',
  'other-language',
  'wildcard-in-quotes',
  'run-in-exact-field',
  'comparison-sign',
  'range-without-brackets',
  'mixed-operators',
  'pointless-clause',
  'regex-anchor',
  'regex-operator',
  'accidental-regex',
  'json-escape',
  'several-recents',
  'split-word',
]);

/** `dropped`: the leaves that are empty after analysis. */
export function weigh(
  rule: string,
  built: Built | undefined,
  clauses: readonly Clause[],
  dropped: readonly Leaf[],
  report: Report,
): void {
  if (built === undefined) {
    report.add('never-matches', { start: 0, end: rule.length }, ONLY_STOP_WORDS);
    return;
  }
  for (const leaf of dropped) checkDropped(leaf, report);
  const explained = report.diagnostics.filter(({ code }) => EXPLAINS.has(code)).map(({ span }) => span);
  const isExplained = (start: number, end: number) => explained.some((span) => span.start < end && start < span.end);
  const { root, ignored } = locate(built, { start: clauses[0]?.start ?? 0, end: clauses.at(-1)?.end ?? rule.length });
  for (const { start, end } of ignored) {
    if (isExplained(start, end) || report.diagnostics.some(({ code }) => code === 'field-of-one-word')) continue;
    const message = `${rule.slice(start, end)} has no effect beside a clause that is required; join it with AND or OR.`;
    report.add('pointless-clause', { start, end }, message);
  }
  if (root === undefined) return;
  for (const { code, start, end, message, fixes } of analyse(root, rule, factsOf(rule)).findings) {
    if (code !== 'matches-everything' && isExplained(start, end)) continue;
    report.add(code, { start, end }, message, fixes.length > 0 ? fixes : exclusionFixes(clauses, rule, start, end));
  }
}

const ONLY_STOP_WORDS =
  'No page can match this rule: it has only very common words or signs, which are not searched for; add a word that says what you look for.';

function checkDropped({ form, text, start, end }: Leaf, report: Report): void {
  // Signs and lower-case operators already have a diagnostic.
  if (form === 'sign' || /^(?:and|or|not|[&|])$/i.test(text)) return;
  const why = /[\p{L}\p{N}]/u.test(text) ? 'is a very common word' : 'has no letters or digits';
  report.add(
    'stop-word',
    { start, end },
    `${text || 'This'} ${why} and is left out of the rule; leave it out yourself.`,
  );
}

/** A group of exclusions matches nothing. The fix moves them out of the group, or subtracts them from everything. */
function exclusionFixes(clauses: readonly Clause[], rule: string, start: number, end: number): Fix[] {
  const list = exclusionsAt(clauses, start, end);
  if (list === undefined) return [];
  const texts = list.map(({ start: from, end: to }) => rule.slice(from, to).replace(/^(?:[-!]|NOT\s+)/, ''));
  const intent: Intent = { all: texts.map((clause): Intent => ({ not: { clause } })) };
  const excluded = texts.map((text) => `NOT ${text}`).join(' AND ');
  const span = { start, end };
  return [
    { span, text: excluded, meaning: `without ${texts.join(' and without ')}`, intent },
    { span, text: `(*:* AND ${excluded})`, meaning: `everything without ${texts.join(' and without ')}`, intent },
  ];
}

/** The exclusions of the list at this place, if it has only exclusions. */
function exclusionsAt(clauses: readonly Clause[], start: number, end: number): readonly Clause[] | undefined {
  const isHere = clauses[0]?.start === start && clauses.at(-1)?.end === end;
  if (isHere && clauses.every(({ mod }) => mod === 'not')) return clauses;
  const group = clauses.find(({ node }) => node.start <= start && end <= node.end)?.node;
  if (group?.kind !== 'group') return undefined;
  const isWhole = (group.fieldSpan?.start ?? group.start) === start && group.end === end;
  if (isWhole && group.clauses.every(({ mod }) => mod === 'not') && isPlain(group)) return group.clauses;
  return exclusionsAt(group.clauses, start, end);
}

const isPlain = ({ fieldSpan, boost }: Group) => fieldSpan === undefined && boost === undefined;
