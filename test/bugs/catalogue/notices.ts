/** Notices of what lasts, and rehearsals. */
import type { Bug } from '../bug.ts';

export const noticesBugs: readonly Bug[] = [
  {
    id: 'notices-begin-again',
    hurts: 'Each node that starts tells anew that a budget is spent.',
    file: 'src/store/nouns/open-notices.ts',
    find: 'ON CONFLICT (account, cause) DO NOTHING',
    replace: 'ON CONFLICT (account, cause) DO UPDATE SET since = excluded.since',
    caughtBy: {
      file: 'src/store/sqlite/conformance.test.ts',
      test: 'keeps when something began until it ends, for each account and cause',
    },
  },
  {
    id: 'notices-end-together',
    hurts: 'The end of one trouble hides another that lasts.',
    file: 'src/store/nouns/open-notices.ts',
    find: 'AND cause = $2`, [accountId, cause]);',
    replace: 'AND (cause = $2 OR true)`, [accountId, cause]);',
    caughtBy: {
      file: 'src/store/sqlite/conformance.test.ts',
      test: 'keeps when something began until it ends, for each account and cause',
    },
  },
  {
    id: 'notices-rehearsal-given-up',
    hurts: 'A rehearsal fails for good because a thread was lost once.',
    file: 'src/service/rehearsal/turn.ts',
    find: "(error instanceof SourceError || error.code === 'unavailable')",
    replace: 'error instanceof SourceError',
    caughtBy: {
      file: 'src/service/rehearsal/turn.test.ts',
      test: 'is tried again when its thread was lost, and ends with the reason when it needs too much',
    },
  },
];
