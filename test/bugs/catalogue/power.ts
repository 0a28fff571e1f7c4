/** Power failures. */
import type { Bug } from '../bug.ts';

export const powerBugs: readonly Bug[] = [
  {
    id: 'power-name-before-bytes',
    hurts: 'A power failure leaves an empty file where a login was stored.',
    file: 'src/base/durable-file.ts',
    find: "{ flag: 'wx', mode: OWN_FILE, flush: true }",
    replace: "{ flag: 'wx', mode: OWN_FILE }",
    caughtBy: {
      file: 'test/power/power.test.ts',
      test: 'lose nothing that was told, and every file opens (seed 20261117)',
    },
  },
  {
    id: 'power-name-not-synced',
    hurts: 'A power failure takes the key that seals the secrets of webhooks, or a finished backup.',
    file: 'src/base/durable-file.ts',
    find: '    fsyncSync(opened);\n',
    replace: '',
    caughtBy: {
      file: 'test/power/power.test.ts',
      test: 'lose nothing that was told, and every file opens (seed 20261117)',
    },
  },
  {
    id: 'power-snapshot-not-synced',
    hurts: 'A power failure leaves a snapshot of the rules whose bytes are missing.',
    file: 'src/app/snapshots/snapshot-file.ts',
    find: '    await file.sync();\n',
    replace: '',
    caughtBy: {
      file: 'test/power/power.test.ts',
      test: 'lose nothing that was told, and every file opens (seed 20261117)',
    },
  },
  {
    id: 'power-log-not-synced',
    hurts: 'A power failure loses events that were acknowledged.',
    file: 'src/store/sqlite/connection.ts',
    find: "{ set: 'synchronous = FULL', read: 'synchronous', expected: [2] }",
    replace: "{ set: 'synchronous = OFF', read: 'synchronous', expected: [0] }",
    caughtBy: {
      file: 'test/power/power.test.ts',
      test: 'lose nothing that was told, and every file opens (seed 20261117)',
    },
  },
];
