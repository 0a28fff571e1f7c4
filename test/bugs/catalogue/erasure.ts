/** Posts that were erased. */
import type { Bug } from '../bug.ts';

export const erasureBugs: readonly Bug[] = [
  {
    id: 'erasure-of-one-account-for-all',
    hurts: 'A post that one account erased is refused for every other account.',
    file: 'src/store/nouns/erasure/tombstones.ts',
    find: 'found(event).some((one) => one.account === EVERY_ACCOUNT || one.account === account)',
    replace: 'found(event).length > 0',
    caughtBy: {
      file: 'src/store/nouns/erasure/tombstones.test.ts',
      test: 'of all accounts refuse the post to each, and of one account to that alone',
    },
  },
  {
    id: 'erasure-forgets-versions',
    hurts: 'An edited version of a post that was erased comes back.',
    file: 'src/store/nouns/erasure/tombstones.ts',
    find: '...[...ids, ...startsOf(postId)].map((id) => postText(platform, id)),',
    replace: '...[...ids].map((id) => postText(platform, id)),',
    caughtBy: {
      file: 'src/store/nouns/erasure/tombstones.test.ts',
      test: 'are those of its id, of earlier versions, of what it carries, and of what the id may be a version of',
    },
  },
  {
    id: 'erasure-shorter-each-time',
    hurts: 'A second erasure with a shorter time lets the post come back earlier than was promised.',
    file: 'src/store/nouns/erasure/tombstones.ts',
    find: 'until = greatest(t.until, excluded.until)',
    replace: 'until = excluded.until',
    caughtBy: {
      file: 'src/store/sqlite/conformance.test.ts',
      test: 'remembers for the longest of the times that it was told',
    },
  },
  {
    id: 'erasure-of-removed-accounts',
    hurts: 'A list of erased posts from another installation keeps posts from accounts that never erased them.',
    file: 'src/store/nouns/erasure/tombstones.ts',
    find: 'WHERE i.account_id IS NULL OR a.number IS NOT NULL ',
    replace: 'WHERE true ',
    caughtBy: {
      file: 'src/store/sqlite/conformance.test.ts',
      test: 'takes no erasures of an account that is not there',
    },
  },
  {
    id: 'erasure-with-another-key',
    hurts: 'A list of erased posts that was made with another key is taken, and erases nothing.',
    file: 'src/store/nouns/erasure/tombstones.ts',
    find: 'if (!(await isEmpty(tx))) return false;',
    replace: 'if (await isEmpty(tx)) return false;',
    caughtBy: {
      file: 'src/store/sqlite/conformance.test.ts',
      test: 'applies to a restored backup what was erased since',
    },
  },
  {
    id: 'erasure-in-the-ring',
    hurts: 'A post that was erased is still sent to whoever connects to the stream.',
    file: 'src/service/outlets/erasure.ts',
    find: '  for (const accountId of accountIds) live.forget(accountId);\n',
    replace: '',
    caughtBy: {
      file: 'src/service/outlets/erasure.test.ts',
      test: 'has streams forget, here and on every node, before it answers',
    },
  },
  {
    id: 'erasure-on-other-nodes',
    hurts: 'An erasure is answered while other nodes still send the post.',
    file: 'src/service/outlets/erasure.ts',
    find: '  if (accountIds.length > 0) await nodes.caughtUp();\n',
    replace: '',
    caughtBy: {
      file: 'src/service/outlets/erasure.test.ts',
      test: 'has streams forget, here and on every node, before it answers',
    },
  },
];
