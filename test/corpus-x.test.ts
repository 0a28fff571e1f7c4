/** The text corpus of the x language: verdicts, messages, places, canonical forms and fixes. */
import { describe, expect, it } from 'vitest';
import type { Diagnostic } from '../src/rules/diagnostic.ts';
import { applyFix } from '../src/rules/fix.ts';
import { xLanguage } from '../src/rules/x/language.ts';
import { type Case, type Expected, readCorpus } from './corpus.ts';

const language = xLanguage();

describe('the x corpus', () => {
  it.each(readCorpus('x').map((one) => [`${one.at} ${one.title}`, one] as const))('%s', (_, one) => check(one));
});

function check({ rule, marks, expected }: Case): void {
  const { query, diagnostics } = language.parse(rule);
  const texts = (sign: Expected['sign']) => expected.filter((line) => line.sign === sign).map((line) => line.text);
  const of = (severity: Diagnostic['severity']) => diagnostics.filter((one) => one.severity === severity);
  expect(of('error').map((one) => one.code)).toEqual(texts('xx'));
  expect(of('warning').map((one) => one.code)).toEqual(texts('~~'));
  expect(of('error').map((one) => one.message)).toEqual(texts('!!'));
  if (marks.length > 0) expect(distinctSpans(diagnostics)).toEqual(marks);
  expect(query === undefined ? [] : [language.print(query)]).toEqual(texts('=='));
  for (const fixed of texts('->')) expect(afterFixes(rule)).toBe(fixed);
}

/** In the order of their marks: by start, the longer first. */
const distinctSpans = (diagnostics: readonly Diagnostic[]) =>
  [...new Map(diagnostics.map(({ span }) => [`${span.start} ${span.end}`, span])).values()].toSorted(
    (one, other) => one.start - other.start || other.end - one.end,
  );

/** Each fix is applied to what the one before it left. */
function afterFixes(rule: string): string {
  const fix = language.parse(rule).diagnostics.find((one) => one.fix !== undefined)?.fix;
  return fix === undefined ? rule : afterFixes(applyFix(rule, fix));
}
