/** Third parties' suites on the firehose language: Lucene's verdicts, Unicode's word breaks, hostile strings and patterns. */
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { firehoseLanguage as language, renderLucene } from '../src/rules/firehose/language.ts';
import { segmentEnd } from '../src/rules/firehose/words.ts';
import { compileDfa, newBudget } from '../src/rules/pattern/dfa.ts';
import { readRegex } from '../src/rules/pattern/regex.ts';
import { hasSharedData, sharedJson, sharedLines, sharedText } from './stages/shared-data.ts';

interface Verdict {
  readonly query: string;
  readonly ok: boolean;
  readonly parsed?: string;
}

describe.runIf(hasSharedData)('shared: Lucene’s verdicts', () => {
  const verdicts = hasSharedData ? sharedLines<Verdict>('rules/lucene-verdicts.ndjson.gz') : [];

  it('are ours, and so is the rendering', () => {
    const differing = verdicts
      .map(({ query, ok, parsed }) => ({ query, lucene: ok ? parsed : undefined, ours: renderLucene(query) }))
      .filter(({ lucene, ours }) => lucene !== ours);
    expect(verdicts.length).toBeGreaterThan(600);
    expect(differing).toEqual([]);
  });

  it('hold for the language as a whole', () => {
    const differing = verdicts.filter(({ query, ok }) => (language.parse(query).query !== undefined) !== ok);
    expect(differing.map(({ query }) => query)).toEqual([]);
  });

  it('have a canonical form that keeps the query', () => {
    expect(verdicts.map(({ query }) => query).filter(changesInPrint)).toEqual([]);
  });
});

/** Whether the canonical form of a valid rule means something else than the rule. */
function changesInPrint(rule: string): boolean {
  const { query } = language.parse(rule);
  return query !== undefined && !isDeepStrictEqual(language.parse(language.print(query)).query, query);
}

describe.runIf(hasSharedData)('shared: Unicode word breaks', () => {
  const lines = hasSharedData ? sharedText('conformance/unicode/WordBreakTest.part.txt').split('\n') : [];
  const cases = lines.map((line) => line.split('#')[0]!.trim()).filter((line) => line !== '');

  it('are found in every line', () => {
    expect(cases.length).toBeGreaterThan(1000);
    for (const line of cases) {
      const { text, breaks } = readBreaks(line);
      const found = [0];
      while (found.at(-1)! < text.length) found.push(segmentEnd(text, found.at(-1)!, text.length));
      expect({ line, breaks: found }).toEqual({ line, breaks });
    }
  });
});

/** `÷ 0061 × 0308 ÷`: a break, or none, between code points. */
function readBreaks(line: string): { text: string; breaks: number[] } {
  let text = '';
  const breaks: number[] = [];
  for (const part of line.split(/\s+/)) {
    if (part === '÷') breaks.push(text.length);
    else if (part !== '×') text += String.fromCodePoint(Number.parseInt(part, 16));
  }
  return { text, breaks };
}

describe.runIf(hasSharedData)('shared: naughty strings', () => {
  const strings = hasSharedData ? sharedJson<string[]>('conformance/strings/naughty-strings.json') : [];

  it('are read, alone and inside other rules, and print what parses to the same', () => {
    const rules = strings.flatMap((text) => [
      text,
      `title:${text}`,
      `"${text}"`,
      `(tesla OR ${text})`,
      `/${text}/`,
      `url:[${text} TO *]`,
    ]);
    expect(rules.length).toBeGreaterThan(1000);
    expect(rules.filter(changesInPrint)).toEqual([]);
  });
});

describe.runIf(hasSharedData)('shared: patterns that hang others', () => {
  const patterns = hasSharedData
    ? sharedJson<{ pattern: string; evil_input?: EvilInput | null }[]>('security/redos-patterns.json')
    : [];

  it('are refused, or answered in one step a character', () => {
    let answered = 0;
    for (const { pattern, evil_input } of patterns) {
      const read = readRegex(pattern);
      if ('problem' in read) continue;
      const dfa = compileDfa(read.regex, newBudget());
      if (dfa === undefined) continue;
      answered++;
      // A million characters: anything but one step each would not come back.
      for (const text of hostileTexts(evil_input)) expect(dfa.test(text, 0, text.length)).toBeTypeOf('boolean');
    }
    expect(answered).toBeGreaterThan(25);
  });
});

interface EvilInput {
  readonly suffix: string;
  readonly pumpPairs?: readonly { readonly prefix: string; readonly pump: string }[];
}

function hostileTexts(evil: EvilInput | null | undefined): string[] {
  const length = 1_000_000;
  if (evil?.pumpPairs === undefined) return ['a'.repeat(length), `${'ab,1'.repeat(length / 4)}!`];
  const share = length / evil.pumpPairs.length;
  const pumped = evil.pumpPairs.map(({ prefix, pump }) => prefix + pump.repeat(share / Math.max(1, pump.length)));
  return [pumped.join('') + evil.suffix];
}
