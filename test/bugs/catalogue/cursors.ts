/** Places in a stream or a list. */
import type { Bug } from '../bug.ts';

export const cursorsBugs: readonly Bug[] = [
  {
    id: 'cursor-of-another-source',
    hurts: 'The cursor of one source is stored under a batch that another source began, and one of the two is lost.',
    file: 'src/service/ingest/batch-queue.ts',
    find: 'last?.cursor !== undefined && last.cursor.name !== cursor.name',
    replace: 'last?.cursor !== undefined && last.cursor.name === cursor.name',
    caughtBy: {
      file: 'src/service/ingest/batch-queue.test.ts',
      test: 'move a cursor with the events that it covers, and two cursors with two batches',
    },
  },
  {
    id: 'cursor-readings-lost',
    hurts: 'The count of what a source read is too small whenever two cursors meet in one batch.',
    file: 'src/service/ingest/batch-queue.ts',
    find: 'before.reading.events + cursor.reading.events',
    replace: 'cursor.reading.events',
    caughtBy: {
      file: 'src/service/ingest/batch-queue.test.ts',
      test: 'add up what a source has read when its cursor moves twice in one batch',
    },
  },
  {
    id: 'cursor-ahead-of-held',
    hurts:
      'The cursor of an upstream passes a post that still waits for its rule; after a restart the post is never read again.',
    file: 'src/service/upstream/ordered-cursor.ts',
    find: 'if (waiting === undefined && places.length === 0) last',
    replace: 'if (waiting === undefined) last',
    caughtBy: {
      file: 'src/service/upstream/ordered-cursor.test.ts',
      test: 'never lets the cursor pass what waits, and moves it on when nothing does',
    },
  },
  {
    id: 'cursor-skips-the-held',
    hurts: 'After one held post is judged, the cursor jumps over all others that still wait.',
    file: 'src/service/upstream/ordered-cursor.ts',
    find: 'const done = free === -1 ? places.length : free;',
    replace: 'const done = places.length;',
    caughtBy: {
      file: 'src/service/upstream/ordered-cursor.test.ts',
      test: 'never lets the cursor pass what waits, and moves it on when nothing does',
    },
  },
  {
    id: 'cursor-one-too-far',
    hurts: 'The cursor stands on the post that waits and not before it: a crash loses that one post.',
    file: 'src/service/upstream/ordered-cursor.ts',
    find: 'last = places[done - 1];',
    replace: 'last = places[done] ?? places[done - 1];',
    caughtBy: {
      file: 'src/service/upstream/ordered-cursor.test.ts',
      test: 'never lets the cursor pass what waits, and moves it on when nothing does',
    },
  },
  {
    id: 'cursor-never-released',
    hurts: 'A cursor that once waited never moves again: each restart reads everything since then.',
    file: 'src/service/upstream/ordered-cursor.ts',
    find: '      advance();\n',
    replace: '',
    caughtBy: {
      file: 'src/service/upstream/ordered-cursor.test.ts',
      test: 'never lets the cursor pass what waits, and moves it on when nothing does',
    },
  },
  {
    id: 'cursor-of-another-list',
    hurts: 'A cursor of one list is taken by another, which then begins somewhere.',
    file: 'src/service/outlets/cursors.ts',
    find: "digest('check', accountId, use, nonce, hidden)",
    replace: "digest('check', accountId, nonce, hidden)",
    caughtBy: {
      file: 'src/service/outlets/cursors.test.ts',
      test: 'are worth nothing to another account, for another use, or changed',
    },
  },
  {
    id: 'cursor-made-up',
    hurts: 'A cursor that somebody made up is believed, and matches are skipped.',
    file: 'src/service/outlets/cursors.ts',
    find: 'if (isOurs && timingSafeEqual(check, checkOf(accountId, use, nonce, hidden)))',
    replace: 'if (isOurs)',
    caughtBy: {
      file: 'src/service/outlets/cursors.test.ts',
      test: 'are worth nothing to another account, for another use, or changed',
    },
  },
];
