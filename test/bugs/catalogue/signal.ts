/** Stories, wakes and surges. */
import type { Bug } from '../bug.ts';

export const signalBugs: readonly Bug[] = [
  {
    id: 'signal-wakes-again',
    hurts: 'A person is woken again and again by one story.',
    file: 'src/wakes/decide.ts',
    find: "if (per === 'story' && story?.woke === true) return false;",
    replace: '',
    caughtBy: {
      file: 'src/wakes/decide.test.ts',
      test: 'per story wakes once for a story, and for every match that has none',
    },
  },
  {
    id: 'signal-one-wake-too-many',
    hurts: 'A contract of three wakes an hour wakes four times.',
    file: 'src/wakes/decide.ts',
    find: 'wakes < atMost.count;',
    replace: 'wakes <= atMost.count;',
    caughtBy: {
      file: 'src/wakes/decide.test.ts',
      test: 'wakes at most as often in an hour or a day of UTC as it says',
    },
  },
  {
    id: 'signal-unrated-is-silent',
    hurts: 'What nobody could rate yet wakes nobody, and is missed.',
    file: 'src/wakes/decide.ts',
    find: 'relevance !== null && relevance < minRelevance',
    replace: '(relevance ?? 0) < minRelevance',
    caughtBy: {
      file: 'src/wakes/decide.test.ts',
      test: 'holds matches of less relevance, and none of unknown relevance',
    },
  },
  {
    id: 'signal-story-forgotten',
    hurts: 'A story that woke somebody and then held back a post wakes anew.',
    file: 'src/wakes/decide.ts',
    find: 'woke: isWake || before?.woke === true',
    replace: 'woke: isWake',
    caughtBy: {
      file: 'src/wakes/decide.test.ts',
      test: 'counts the stories of a window once, and begins anew with the next window',
    },
  },
  {
    id: 'signal-window-never-ends',
    hurts: 'After the wakes of one hour are used, nothing wakes for days.',
    file: 'src/wakes/decide.ts',
    find: 'if (account !== undefined && account.windowFrom.getTime() === from.getTime()) return account;',
    replace: 'if (account !== undefined) return account;',
    caughtBy: {
      file: 'src/wakes/decide.test.ts',
      test: 'wakes at most as often in an hour or a day of UTC as it says',
    },
  },
  {
    id: 'signal-surge-of-two',
    hurts: 'Two posts in a quiet hour are told as a surge.',
    file: 'src/signal/surge.ts',
    find: 'share > 1 && matches >= LEAST_MATCHES',
    replace: 'share > 1',
    caughtBy: {
      file: 'src/signal/surge.test.ts',
      test: 'is more than nine matches, even of a rule that never had one',
    },
  },
  {
    id: 'signal-surge-never-closes',
    hurts: 'A surge that is over stays open, and the next one is not told.',
    file: 'src/signal/surge.ts',
    find: 'if (minute - calmSince >= CALM_MINUTES)',
    replace: 'if (minute - calmSince < 0)',
    caughtBy: { file: 'src/signal/surge.test.ts', test: 'takes more the more matches are usual, whatever the past' },
  },
  {
    id: 'signal-surge-flickers',
    hurts: 'One surge is told again whenever it takes a breath.',
    file: 'src/signal/surge.ts',
    find: 'if (minute - calmSince >= CALM_MINUTES)',
    replace: 'if (minute - calmSince >= 0)',
    caughtBy: {
      file: 'src/signal/surge.test.ts',
      test: 'is one episode until it was calm for an hour; waves within it belong to it',
    },
  },
  {
    id: 'signal-held-for-ever',
    hurts: 'What was held back from waking somebody is never sent while nothing wakes.',
    file: 'src/delivery/live/wake-gate.ts',
    find: 'return held.length < MOST_HELD ? undefined : flush();',
    replace: 'return undefined;',
    caughtBy: { file: 'src/delivery/live/wake-gate.test.ts', test: 'holds a hundred at most, and passes gaps on' },
  },
  {
    id: 'signal-digest-lost',
    hurts: 'What was held back is dropped when something wakes.',
    file: 'src/delivery/live/wake-gate.ts',
    find: 'return withDigest(flush(), bytes);',
    replace: '{\n        flush();\n        return bytes;\n      }',
    caughtBy: {
      file: 'src/delivery/live/wake-gate.test.ts',
      test: 'tells of what it held before the next match that wakes, and before a heartbeat',
    },
  },
];
