/** The text corpus of the firehose language: verdicts, places, Lucene's rendering, canonical forms and fixes. */
import { describe, expect, it } from 'vitest';
import type { Diagnostic, Span } from '../src/rules/diagnostic.ts';
import { firehoseLanguage as language, renderLucene } from '../src/rules/firehose/language.ts';
import { applyFix } from '../src/rules/fix.ts';
import { type Case, type Expected, readCorpus } from './stages/corpus.ts';

describe('the firehose corpus', () => {
  it.each(readCorpus('firehose').map((one) => [`${one.at} ${one.title}`, one] as const))('%s', (_, one) => {
    expect(outcomeOf(one)).toEqual(wantedOf(one));
  });
});

interface Outcome {
  readonly lines: Partial<Record<Expected['sign'], readonly string[]>>;
  readonly spans: readonly Span[] | undefined;
}

const textsOf = ({ expected }: Case, sign: Expected['sign']) =>
  expected.filter((line) => line.sign === sign).map((line) => line.text);

/** Codes and the canonical form are always asked for; the rest where the case says something about it. */
function wantedOf(one: Case): Outcome {
  const lines: Outcome['lines'] = { xx: textsOf(one, 'xx'), '~~': textsOf(one, '~~'), '==': textsOf(one, '==') };
  for (const sign of ['!!', '>>', '->'] as const) if (textsOf(one, sign).length > 0) lines[sign] = textsOf(one, sign);
  return { lines, spans: one.marks.length > 0 ? one.marks : undefined };
}

function outcomeOf(one: Case): Outcome {
  const { query, diagnostics } = language.parse(one.rule);
  const of = (severity: Diagnostic['severity']) => diagnostics.filter((diagnostic) => diagnostic.severity === severity);
  const codes = (severity: Diagnostic['severity']) => of(severity).map(({ code }) => code);
  const lines: Outcome['lines'] = {
    xx: codes('error'),
    '~~': codes('warning'),
    '==': query === undefined ? [] : [language.print(query)],
  };
  if (textsOf(one, '!!').length > 0) lines['!!'] = of('error').map(({ message }) => message);
  if (textsOf(one, '>>').length > 0) lines['>>'] = [renderLucene(one.rule) ?? 'refused'];
  if (textsOf(one, '->').length > 0) lines['->'] = [afterFixes(one.rule)];
  return { lines, spans: one.marks.length > 0 ? diagnostics.map(({ span }) => span) : undefined };
}

/** Each fix is applied to what the one before it left. */
function afterFixes(rule: string): string {
  const fix = language.parse(rule).diagnostics.find((one) => one.fixes !== undefined)?.fixes?.[0];
  return fix === undefined ? rule : afterFixes(applyFix(rule, fix));
}
