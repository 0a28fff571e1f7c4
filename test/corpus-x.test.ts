/** The text corpus of the x language: verdicts, messages, places, canonical forms and fixes. */
import { describe, expect, it } from 'vitest';
import type { Diagnostic } from '../src/rules/diagnostic.ts';
import { applyFix } from '../src/rules/fix.ts';
import { xLanguage } from '../src/rules/x/language.ts';
import { type Case, readCorpus } from './stages/corpus.ts';

const language = xLanguage();

describe('the x corpus', () => {
  it.each(readCorpus('x').map((one) => [`${one.at} ${one.title}`, one] as const))('%s', (_, one) => {
    expect(whatComesOf(one)).toEqual(bySign(one.expected.map(({ sign, text }) => `${sign} ${text}`)));
    expect(one.marks.length === 0 ? [] : distinctSpans(language.parse(one.rule).diagnostics)).toEqual(one.marks);
  });
});

/** The lines that the case would have if it were written from what the language does. */
function whatComesOf({ rule, expected }: Case): string[] {
  const { query, diagnostics } = language.parse(rule);
  const lines = diagnostics.flatMap(({ severity, code, wording }) =>
    severity === 'error' ? [`xx ${code}`, `!! ${wording}`] : [`~~ ${code}`],
  );
  if (query !== undefined) lines.push(`== ${language.print(query)}`);
  if (expected.some((line) => line.sign === '->')) lines.push(`-> ${afterFixes(rule)}`);
  return bySign(lines);
}

/** Errors, messages and warnings may be mixed in a case; each kind has its order. */
const bySign = (lines: readonly string[]) =>
  lines.toSorted((one, other) => one.slice(0, 2).localeCompare(other.slice(0, 2)));

/** In the order of their marks: by start, the longer first. */
const distinctSpans = (diagnostics: readonly Diagnostic[]) =>
  [...new Map(diagnostics.map(({ span }) => [`${span.start} ${span.end}`, span])).values()].toSorted(
    (one, other) => one.start - other.start || other.end - one.end,
  );

/** Each fix is applied to what the one before it left. */
function afterFixes(rule: string): string {
  const fix = language.parse(rule).diagnostics.find((one) => one.fixes !== undefined)?.fixes?.[0];
  return fix === undefined ? rule : afterFixes(applyFix(rule, fix));
}
