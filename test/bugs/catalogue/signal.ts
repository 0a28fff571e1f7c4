/** Stories, wakes, silences, quiet hours and surges. */
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
    caughtBy: {
      file: 'src/signal/surge.test.ts',
      test: 'is one episode until it was calm for an hour; waves within it belong to it',
    },
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
  {
    id: 'signal-silence-of-everybody',
    hurts: 'A silence of one author silences everybody.',
    file: 'src/wakes/silences.ts',
    find: '  (author === undefined || author === speaker()) &&\n',
    replace: '',
    caughtBy: { file: 'src/wakes/silences.test.ts', test: '{"author":"da"} covers the post: false, the page: false' },
  },
  {
    id: 'signal-silence-ends-early',
    hurts: 'What two silences cover wakes somebody when the shorter one ends.',
    file: 'src/wakes/silences.ts',
    find: 'other.until.getTime() - one.until.getTime()',
    replace: 'one.until.getTime() - other.until.getTime()',
    caughtBy: { file: 'src/wakes/silences.test.ts', test: 'is the one that holds longest, of several' },
  },
  {
    id: 'signal-silence-of-another-account',
    hurts: 'One account ends the silences of another.',
    file: 'src/store/nouns/silences.ts',
    find: 'DELETE FROM silences WHERE id = $1 AND account = $2 RETURNING until',
    replace: 'DELETE FROM silences WHERE id = $1 AND (account = $2 OR true) RETURNING until',
    caughtBy: { file: 'src/store/sqlite/conformance.test.ts', test: 'ends a silence of its own account once' },
  },
  {
    id: 'signal-quiet-on-the-wrong-day',
    hurts: 'Quiet hours of Friday night end at midnight, and a person is woken on Saturday at one.',
    file: 'src/wakes/local-time.ts',
    find: ' - (isOvernight && minute < end ? 1 : 0);',
    replace: ';',
    caughtBy: {
      file: 'src/wakes/local-time.test.ts',
      test: 'keep to the clocks of the zone in summer and winter, and belong to the day on which they begin',
    },
  },
  {
    id: 'signal-quiet-by-utc',
    hurts: 'A person in Tokyo is woken at three in the morning.',
    file: 'src/wakes/local-time.ts',
    find: 'const wall = at.getTime() + offsetAt(zone, at.getTime());',
    replace: 'const wall = at.getTime();',
    caughtBy: {
      file: 'src/wakes/local-time.test.ts',
      test: 'are what a clock on the wall says, and lead to a time outside of them',
    },
  },
  {
    id: 'signal-digest-skipped-in-spring',
    hurts: 'A digest at half past two is not sent on the day on which summer time begins.',
    file: 'src/wakes/local-time.ts',
    find: 'return shown.length > 0 ? shown : [jumpBetween(zone, wall - after, wall - before)];',
    replace: 'return shown;',
    caughtBy: {
      file: 'src/wakes/local-time.test.ts',
      test: 'come when the clocks there show them, at the jump over them, and twice in an hour that comes twice',
    },
  },
];
