/** What rules mean. */
import type { Bug } from '../bug.ts';

export const rulesBugs: readonly Bug[] = [
  {
    id: 'rules-proof-given-up',
    hurts: 'Two long rules are said to mean the same although the proof was given up.',
    file: 'src/rules/equivalence.ts',
    find: 'return diagrams.isExact && left === right;',
    replace: 'return left === right;',
    caughtBy: {
      file: 'src/rules/equivalence.test.ts',
      test: 'and are not said to where that takes too many steps to prove',
    },
  },
  {
    id: 'rules-not-forgotten',
    hurts: 'A rule and its negation are said to mean the same.',
    file: 'src/rules/equivalence.ts',
    find: 'return this.of(query.query, !negated);',
    replace: 'return this.of(query.query, negated);',
    caughtBy: { file: 'src/rules/equivalence.test.ts', test: 'when one is the other by the laws of logic' },
  },
  {
    id: 'rules-or-for-and',
    hurts: 'A rule with OR is said to mean the same as one with AND.',
    file: 'src/rules/equivalence.ts',
    find: "(query.kind === 'all') === negated ? HOLDS : FAILS",
    replace: 'negated ? HOLDS : FAILS',
    caughtBy: { file: 'src/rules/equivalence.test.ts', test: 'when one is the other by the laws of logic' },
  },
];
