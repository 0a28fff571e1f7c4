/** The judge, a model that costs money. */
import type { Bug } from '../bug.ts';

export const judgeBugs: readonly Bug[] = [
  {
    id: 'judge-one-call-too-many',
    hurts: 'The judge spends more than the operator allowed.',
    file: 'src/store/nouns/judging/spending.ts',
    find: 'spentIn(rows, spans[per])[what] + { calls: 1, money }[what] <= most',
    replace: 'spentIn(rows, spans[per])[what] <= most',
    caughtBy: {
      file: 'src/store/sqlite/conformance.test.ts',
      test: 'counts a call before it is made, and never passes a limit, whoever asks at once',
    },
  },
  {
    id: 'judge-any-limit',
    hurts: 'A budget of calls a day and of money a month holds only until one of both is reached.',
    file: 'src/store/nouns/judging/spending.ts',
    find: 'if (!limits.every(isWithin)) return undefined;',
    replace: 'if (!limits.some(isWithin)) return undefined;',
    caughtBy: {
      file: 'src/store/sqlite/conformance.test.ts',
      test: 'counts a call before it is made, and never passes a limit, whoever asks at once',
    },
  },
  {
    id: 'judge-gives-all-back',
    hurts: 'A call that was made counts as free, and the budget never ends.',
    file: 'src/store/nouns/judging/spending.ts',
    find: 'used.money - money, used.inputTokens',
    replace: '-money, used.inputTokens',
    caughtBy: {
      file: 'src/store/sqlite/conformance.test.ts',
      test: 'gives back what a call did not cost, and keeps what nobody settled',
    },
  },
  {
    id: 'judge-of-another-intent',
    hurts: 'A match is hidden by what the judge said of an intent that the rule no longer has.',
    file: 'src/store/nouns/judging/judgements.ts',
    find: 'WHERE m.position = $1 AND r.intent = $2 AND r.deleted = 0',
    replace: 'WHERE m.position = $1 AND $2 = $2 AND r.deleted = 0',
    caughtBy: {
      file: 'src/store/sqlite/conformance.test.ts',
      test: 'lets judgements go with the intent that they were about, and takes none about an earlier one',
    },
  },
  {
    id: 'judge-runs-away',
    hurts: 'A server that ignores the limit of tokens is asked on and on, past any budget.',
    file: 'src/service/judging/ask-within.ts',
    find: 'if (used !== undefined && used.money > question.money) stop(deps, state);\n  else if (judgement',
    replace: 'if (judgement',
    caughtBy: {
      file: 'src/service/judging/judge.test.ts',
      test: 'is not asked again when it takes more tokens than it was allowed',
    },
  },
];
