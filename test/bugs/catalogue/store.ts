/** What is stored, and what is not. */
import type { Bug } from '../bug.ts';

export const storeBugs: readonly Bug[] = [
  {
    id: 'store-match-of-another-account',
    hurts: 'A post that one account pushed becomes a match of another account.',
    file: 'src/store/sqlite/new-matches.ts',
    find: 'if (accountId !== undefined && accountId !== rule.accountId) return undefined;',
    replace: '',
    caughtBy: { file: 'src/store/sqlite/conformance.test.ts', test: "never matches another account's pushed event" },
  },
  {
    id: 'store-match-of-an-old-text',
    hurts: 'A post is stored as a match of a rule whose text was changed meanwhile.',
    file: 'src/store/sqlite/new-matches.ts',
    find: 'rule?.version !== version || refusals',
    replace: 'rule === undefined || refusals',
    caughtBy: {
      file: 'src/store/sqlite/conformance.test.ts',
      test: 'stores nothing of a rule that was changed meanwhile',
    },
  },
  {
    id: 'store-match-twice',
    hurts: 'A post that comes again is a second match, and wakes its reader twice.',
    file: 'src/store/sqlite/new-matches.ts',
    find: 'if (rule === undefined || same.some((one) => isKnown(sql, one, rule))) continue;',
    replace: 'if (rule === undefined) continue;',
    caughtBy: {
      file: 'src/store/sqlite/conformance.test.ts',
      test: 'commits a match once, however often its event arrives',
    },
  },
  {
    id: 'store-erased-comes-back',
    hurts: 'A post that was erased is stored again when it comes again.',
    file: 'src/store/sqlite/new-matches.ts',
    find: ' || refusals.isRefused(event, rule.account)',
    replace: '',
    caughtBy: {
      file: 'src/store/sqlite/conformance.test.ts',
      test: 'never takes an erased post again, for the account that erased it',
    },
  },
  {
    id: 'store-nothing-owed',
    hurts: 'A match is stored and no webhook ever hears of it.',
    file: 'src/store/sqlite/commit.ts',
    find: '  oweNew(sql, platform, matches);\n',
    replace: '',
    caughtBy: {
      file: 'src/store/sqlite/conformance.test.ts',
      test: 'keeps the order of events in lists, streams, deliveries and ids',
    },
  },
  {
    id: 'store-owed-to-disabled',
    hurts: 'A webhook that was switched off for failing is owed every match, and gets all of them when it is back.',
    file: 'src/store/sqlite/retention.ts',
    find: "status IN ('active', 'paused')",
    replace: "status IN ('active', 'paused', 'disabled')",
    caughtBy: {
      file: 'src/store/sqlite/conformance.test.ts',
      test: 'keeps what signs in at a receiver and who agreed, and adds a webhook in the state that it is given',
    },
  },
  {
    id: 'store-paused-owed-nothing',
    hurts: 'What matches while a webhook is paused is never delivered.',
    file: 'src/store/sqlite/retention.ts',
    find: "status IN ('active', 'paused')",
    replace: "status IN ('active')",
    caughtBy: {
      file: 'src/store/sqlite/conformance.test.ts',
      test: 'owes a webhook every new match that it wants, once',
    },
  },
  {
    id: 'store-cursor-without-data',
    hurts: 'The cursor moves although the store refused the node that lost its lease.',
    file: 'src/store/sqlite/commit.ts',
    find: '  if (upstream !== undefined) await commitUpstream(db, platform, at, upstream);\n',
    replace: '',
    caughtBy: {
      file: 'src/store/sqlite/conformance.test.ts',
      test: 'refuses a commit under a lease that another has by now, and keeps nothing of it',
    },
  },
  {
    id: 'store-half-a-commit',
    hurts: 'A crash in the middle of a commit leaves matches whose cursor was not moved, and counts that are wrong.',
    file: 'src/store/sqlite/commit.ts',
    find: 'db.transaction(() => commit(db, { rules, stories, limits, settleAfter }, batch))',
    replace: 'commit(db, { rules, stories, limits, settleAfter }, batch)',
    caughtBy: {
      file: 'src/store/sqlite/file.test.ts',
      test: 'leaves no match and no count behind, and is stored whole the next time',
    },
  },
  {
    id: 'store-sync-normal',
    hurts: 'A power failure loses events that were acknowledged a moment before.',
    file: 'src/store/sqlite/connection.ts',
    find: "set: 'synchronous = FULL'",
    replace: "set: 'synchronous = OFF'",
    caughtBy: {
      file: 'src/store/sqlite/connection.test.ts',
      test: 'fails with its own error when SQLite has rolled it back already',
    },
  },
  {
    id: 'store-erased-bytes-stay',
    hurts: 'The text of an erased post stays in the file for everybody who can read it.',
    file: 'src/store/sqlite/connection.ts',
    find: "{ set: 'secure_delete = ON', read: 'secure_delete', expected: [1] }",
    replace: "{ set: 'secure_delete = OFF', read: 'secure_delete', expected: [0] }",
    caughtBy: { file: 'src/store/sqlite/file.test.ts', test: 'refuses secure_delete = OFF' },
  },
  {
    id: 'store-ring-of-everybody',
    hurts: 'The ring of recent events of a loud account pushes those of all others out.',
    file: 'src/store/sqlite/recent.ts',
    find: '} DESC LIMIT 1`',
    replace: '} LIMIT 1`',
    caughtBy: {
      file: 'src/store/sqlite/conformance.test.ts',
      test: "keeps everybody's events and those of others, however many an account pushes",
    },
  },
  {
    id: 'store-goes-on-after-io-error',
    hurts: 'After a failed write the server goes on with a file whose state nobody knows.',
    file: 'src/store/sqlite/keeper.ts',
    find: '    open = undefined;\n    if (db?.isOpen) db.close();',
    replace: '    void db;',
    caughtBy: {
      file: 'src/store/sqlite/file.test.ts',
      test: 'is not replaced by an empty one when its connection was given up',
    },
  },
];
