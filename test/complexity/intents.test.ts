/** The words that an intent names are looked for among the words of its rule. */
import { describe } from 'vitest';
import type { Query } from '../../src/rules/query.ts';
import { lintIntent } from '../../src/service/rules/intent-lint.ts';
import { HARD_MARKS } from '../generated/marks.ts';
import { doubling, upTo } from './doubling.ts';
import { filled } from './hard-texts.ts';

const words = (count: number, start: string): string[] =>
  Array.from({ length: count }, (_, at) => `${start}${(at + 36 ** 3).toString(36)}`);

const ruleOf = (terms: readonly string[]): Query => ({
  kind: 'any',
  of: terms.map((term) => ({ kind: 'term', field: 'text', term })),
});

describe('an intent of marks', () => {
  for (const marks of HARD_MARKS) {
    doubling(`of ${JSON.stringify(marks).slice(0, 24)}`, {
      sizes: upTo(2_000),
      make: (size) => `b${filled(marks, size)}`,
      work: (intent) => void lintIntent('x', ruleOf(['lava']), intent),
    });
  }
});

describe('an intent of many words and a rule of many words', () => {
  for (const [what, negator] of [
    ['that the rule does not have', ''],
    ['that the rule does not exclude', 'without '],
  ] as const) {
    doubling(`words ${what}`, {
      sizes: upTo(2_000),
      make: (size) => ({ rule: ruleOf(words(size, 'q')), intent: negator + words(size, 'z').join(' ') }),
      work: ({ rule, intent }) => void lintIntent('x', rule, intent),
    });
  }
});
