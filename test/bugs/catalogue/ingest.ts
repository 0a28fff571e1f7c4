/** Events on their way in. */
import type { Bug } from '../bug.ts';

export const ingestBugs: readonly Bug[] = [
  {
    id: 'ingest-early-answer',
    hurts: 'A pusher is told that its events are safe before they are stored; a crash then loses them.',
    file: 'src/service/ingest/group-commit.ts',
    find: '    const isWhole = to - from === events.length;\n',
    replace:
      '    const isWhole = to - from === events.length;\n    for (const receipt of receipts.slice(from, to)) receipt.confirm(0);\n',
    caughtBy: {
      file: 'src/service/ingest/ingest.test.ts',
      test: 'stores a post once for a rule, however often it arrives',
    },
  },
  {
    id: 'ingest-swallowed-failure',
    hurts: 'A pusher whose events the store refused waits for ever, and its events are gone.',
    file: 'src/service/ingest/group-commit.ts',
    find: 'receipt.fail(unavailable(error));',
    replace: 'void error;',
    caughtBy: {
      file: 'src/service/ingest/group-commit.test.ts',
      test: 'tells a push once that the store failed, however many events it had added',
    },
  },
  {
    id: 'ingest-stores-after-failure',
    hurts: 'A batch after one that failed is stored with a cursor that covers the lost one, which is never read again.',
    file: 'src/service/ingest/group-commit.ts',
    find: '    if (trouble.reason !== undefined) throw unavailable();\n    const refused',
    replace: '    const refused',
    caughtBy: {
      file: 'src/service/ingest/group-commit.test.ts',
      test: 'tells a push once that the store failed, however many events it had added',
    },
  },
  {
    id: 'ingest-takes-in-trouble',
    hurts: 'While the disk is full, pushes are taken into a queue that grows, and each waits for nothing.',
    file: 'src/service/ingest/group-commit.ts',
    find: '    if (trouble.reason !== undefined) throw unavailable();\n  }',
    replace: '  }',
    caughtBy: {
      file: 'src/service/ingest/group-commit.test.ts',
      test: 'takes nothing while the store is checked, and commits in order afterwards',
    },
  },
  {
    id: 'ingest-lost-on-stop',
    hurts: 'Events that wait in the queue when the server stops are lost.',
    file: 'src/service/ingest/group-commit.ts',
    find: '      queue.flush();\n',
    replace: '',
    caughtBy: { file: 'src/service/ingest/group-commit.test.ts', test: 'has stored what waited once it is closed' },
  },
  {
    id: 'ingest-refused-for-all',
    hurts: 'One event that the database refuses makes it refuse those of every other push beside it.',
    file: 'src/service/ingest/store-trouble.ts',
    find: '      if (to - from > 1) {',
    replace: '      if (to - from > 1 && to < from) {',
    caughtBy: {
      file: 'src/service/ingest/group-commit.test.ts',
      test: 'stores all but the events that the store refuses, in order, and tells their pushes alone',
    },
  },
  {
    id: 'ingest-cursor-over-refused',
    hurts: 'The cursor of a source moves over an event that the database refused, which is never read again.',
    file: 'src/service/ingest/group-commit.ts',
    find: '    if (receipts[index]!.isFollowed) throw unavailable(error);\n',
    replace: '',
    caughtBy: {
      file: 'src/service/ingest/group-commit.test.ts',
      test: 'moves no cursor over an event that the store refuses',
    },
  },
  {
    id: 'ingest-wrong-count',
    hurts: 'A pusher is told of the matches of another event of its batch.',
    file: 'src/service/ingest/group-commit.ts',
    find: 'receipts[from + index]!.confirm(added)',
    replace: 'receipts[from + index]!.confirm(addedByEvent[0]!)',
    caughtBy: {
      file: 'src/service/ingest/ingest.test.ts',
      test: 'stores a post once for a rule, however often it arrives',
    },
  },
  {
    id: 'ingest-receipt-short',
    hurts: 'A push of several events is answered when the first of them is stored.',
    file: 'src/service/ingest/batch-queue.ts',
    find: 'if (--waiting === 0) resolve(matches);',
    replace: '--waiting;\n      resolve(matches);',
    caughtBy: {
      file: 'src/service/ingest/ingest.test.ts',
      test: 'stores a post once for a rule, however often it arrives',
    },
  },
  {
    id: 'ingest-endless-queue',
    hurts: 'A pusher that is faster than the disk fills the memory until the server is killed.',
    file: 'src/service/ingest/batch-queue.ts',
    find: 'return queued.events >= MAX_QUEUED_EVENTS || queued.bytes >= MAX_QUEUED_BYTES;',
    replace: 'return queued.events >= MAX_QUEUED_EVENTS && queued.bytes >= MAX_QUEUED_BYTES;',
    caughtBy: {
      file: 'src/service/ingest/batch-queue.test.ts',
      test: 'hold pushers back at 5,000 events or 32 MiB, until what waits is stored',
    },
  },
];
