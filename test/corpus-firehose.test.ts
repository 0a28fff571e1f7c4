/** The text corpus of the firehose language: verdicts, places, Lucene's rendering, canonical forms and fixes. */
import { describe, expect, it } from 'vitest';
import type { Diagnostic } from '../src/rules/diagnostic.ts';
import { firehoseLanguage as language, renderLucene } from '../src/rules/firehose/language.ts';
import { applyFix } from '../src/rules/fix.ts';
import { type Case, type Expected, readCorpus } from './corpus.ts';

describe('the firehose corpus', () => {
  it.each(readCorpus('firehose').map((one) => [`${one.at} ${one.title}`, one] as const))('%s', (_, one) => check(one));
});

function check({ rule, marks, expected }: Case): void {
  const { query, diagnostics } = language.parse(rule);
  const texts = (sign: Expected['sign']) => expected.filter((line) => line.sign === sign).map((line) => line.text);
  const of = (severity: Diagnostic['severity']) => diagnostics.filter((one) => one.severity === severity);
  expect(of('error').map((one) => one.code)).toEqual(texts('xx'));
  expect(of('warning').map((one) => one.code)).toEqual(texts('~~'));
  for (const message of texts('!!')) expect(of('error').map((one) => one.message)).toContain(message);
  if (marks.length > 0) expect(diagnostics.map((one) => one.span)).toEqual(marks);
  expect(query === undefined ? [] : [language.print(query)]).toEqual(texts('=='));
  for (const rendering of texts('>>')) expect(renderLucene(rule)).toBe(rendering);
  for (const fixed of texts('->')) expect(afterFixes(rule)).toBe(fixed);
}

/** Each fix is applied to what the one before it left. */
function afterFixes(rule: string): string {
  const fix = language.parse(rule).diagnostics.find((one) => one.fix !== undefined)?.fix;
  return fix === undefined ? rule : afterFixes(applyFix(rule, fix));
}
