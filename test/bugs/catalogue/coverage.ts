/** What was heard, and what was missed. */
import type { Bug } from '../bug.ts';

export const coverageBugs: readonly Bug[] = [
  {
    id: 'coverage-open-gap-forgotten',
    hurts: 'While posts are being missed, an answer says that it is complete.',
    file: 'src/service/coverage/assess.ts',
    find: '  to === undefined || (to > now && to.getTime()',
    replace: '  to !== undefined && (to > now && to.getTime()',
    caughtBy: {
      file: 'src/service/coverage/assess.test.ts',
      test: 'make an answer incomplete; one that lasts holds the time back, and says why',
    },
  },
  {
    id: 'coverage-complete-with-gaps',
    hurts: 'A span with a gap in it is called complete.',
    file: 'src/service/coverage/assess.ts',
    find: "  if (missing.length > 0) reasons.add('gap');\n",
    replace: '',
    caughtBy: {
      file: 'src/service/coverage/assess.test.ts',
      test: 'make an answer incomplete; one that lasts holds the time back, and says why',
    },
  },
  {
    id: 'coverage-before-the-rule',
    hurts: 'The time before a rule existed counts as watched by it.',
    file: 'src/service/coverage/assess.ts',
    find: 'latest([listening.from, ruleSince])',
    replace: 'listening.from',
    caughtBy: {
      file: 'src/service/coverage/assess.test.ts',
      test: 'has not started: nothing has shown yet that its posts come',
    },
  },
  {
    id: 'coverage-before-the-start',
    hurts: 'A question about last year is answered as complete by a server of this week.',
    file: 'src/service/coverage/assess.ts',
    find: 'since !== undefined && from !== undefined && since < from',
    replace: 'since !== undefined && from !== undefined && since > from',
    caughtBy: {
      file: 'src/service/coverage/assess.test.ts',
      test: 'that begins before Sluice listened, or before the rule, is not complete',
    },
  },
  {
    id: 'coverage-of-the-fastest',
    hurts: 'One source that is up to date hides another that is an hour behind.',
    file: 'src/service/coverage/assess.ts',
    find: '      through: earliest(read.map(({ through }) => through)),',
    replace: '      through: latest(read.flatMap(({ through }) => through ?? [])),',
    caughtBy: {
      file: 'src/service/coverage/assess.test.ts',
      test: 'needs every source, and reaches as far as the one that is furthest behind',
    },
  },
  {
    id: 'coverage-past-by-one',
    hurts: 'The last moment of a span that was not heard counts as heard.',
    file: 'src/service/coverage/assess.ts',
    find: 'until <= through',
    replace: 'until >= through',
    caughtBy: {
      file: 'src/service/coverage/assess.test.ts',
      test: 'takes a source that has ended for no feed, and keeps what it brought',
    },
  },
  {
    id: 'coverage-unknown-is-now',
    hurts: 'A source that has not said how far it is counts as up to date.',
    file: 'src/service/coverage/assess.ts',
    find: 'if (time === undefined) return undefined;',
    replace: 'if (time === undefined) continue;',
    caughtBy: {
      file: 'src/service/coverage/assess.test.ts',
      test: 'needs every source, and reaches as far as the one that is furthest behind',
    },
  },
  {
    id: 'coverage-gap-of-another-rule',
    hurts: 'A gap of one rule is closed when another rule is well again.',
    file: 'src/service/coverage/lasting-gaps.ts',
    find: ' && gap.ruleId === ruleId',
    replace: '',
    caughtBy: {
      file: 'src/service/coverage/lasting-gaps.test.ts',
      test: 'is not taken for another one: of another cause or rule, or one that ended',
    },
  },
  {
    id: 'coverage-gap-twice',
    hurts: 'Each look at a lasting problem notes a new gap, until they fill the answer.',
    file: 'src/service/coverage/lasting-gaps.ts',
    find: 'if ((await openOf(store, gap)).length === 0)',
    replace: 'if ((await openOf(store, gap)).length >= 0)',
    caughtBy: { file: 'src/service/coverage/lasting-gaps.test.ts', test: 'is noted once, as one that lasts' },
  },
  {
    id: 'coverage-gap-closed-early',
    hurts: 'A gap of an upstream is closed before the upstream could report it.',
    file: 'src/service/upstream/consumer.ts',
    find: 'if (at.getTime() - liveAt.getTime() < REPORT_WITHIN_MS) return [];',
    replace: '',
    caughtBy: {
      file: 'src/service/upstream/gaps.test.ts',
      test: 'of an earlier run that the new one does not report end where the stream was live, a minute later, unrecovered',
    },
  },
  {
    id: 'coverage-goes-back',
    hurts: 'A late report moves coverage back, and an answer that was complete is not any more.',
    file: 'src/store/nouns/upstreams.ts',
    find: 'through = greatest(c.through, excluded.through)',
    replace: 'through = excluded.through',
    caughtBy: {
      file: 'src/store/sqlite/conformance.test.ts',
      test: 'knows up to when a stream was whole; that never goes back',
    },
  },
];
