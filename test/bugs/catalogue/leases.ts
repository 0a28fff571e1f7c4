/** Work that one process does at a time. */
import type { Bug } from '../bug.ts';

export const leasesBugs: readonly Bug[] = [
  {
    id: 'lease-without-fence',
    hurts: 'A process that lost its lease for a moment goes on beside the one that took it, and both read the stream.',
    file: 'src/store/lease.ts',
    find: "if ('heldBy' in now || now.fence !== lease.fence) return false;",
    replace: "if ('heldBy' in now) return false;",
    caughtBy: {
      file: 'src/store/lease.test.ts',
      test: 'is lost when another had it meanwhile, although it is free again',
    },
  },
  {
    id: 'lease-trusted-for-ever',
    hurts: 'A process that slept longer than its lease writes as if it still had it.',
    file: 'src/store/lease.ts',
    find: 'clock.elapsed() - confirmed < LEASE_MS;',
    replace: 'true;',
    caughtBy: {
      file: 'src/store/lease.test.ts',
      test: 'is asked for again after a freeze, and is lost when another has it',
    },
  },
  {
    id: 'lease-counted-from-the-answer',
    hurts: 'A lease is believed to last longer than it does by the time that the store took to answer.',
    file: 'src/store/lease.ts',
    find: '    confirmed = asked;',
    replace: '    confirmed = clock.elapsed();',
    caughtBy: {
      file: 'src/store/lease.test.ts',
      test: 'lasts from when it was asked for, and not from when the store answered',
    },
  },
  {
    id: 'lease-kept-after-loss',
    hurts: 'A node that was told that its lease is gone goes on with the work.',
    file: 'src/store/lease.ts',
    find: '!(await renew().catch(() => true))) return;',
    replace: '!(await renew().catch(() => true))) continue;',
    caughtBy: {
      file: 'src/store/lease.test.ts',
      test: 'is asked for again after a freeze, and is lost when another has it',
    },
  },
  {
    id: 'lease-of-the-dead',
    hurts: 'After a crash nobody reads a stream until the lease of the dead process ends.',
    file: 'src/store/lease.ts',
    find: "if ('heldBy' in answer && holder.isGone(answer.heldBy)) {",
    replace: "if ('heldBy' in answer && !holder.isGone(answer.heldBy)) {",
    caughtBy: { file: 'src/store/lease.test.ts', test: 'is kept as long as it is renewed' },
  },
  {
    id: 'lease-same-fence',
    hurts: 'The process that lost a lease and the one that has it have the same fence, and both write.',
    file: 'src/store/nouns/upstreams.ts',
    find: 'found.holder === holder ? found.fence : found.fence + 1',
    replace: 'found.fence',
    caughtBy: {
      file: 'src/store/sqlite/conformance.test.ts',
      test: 'takes no step of one that was cancelled, nor of a process whose lease another has',
    },
  },
  {
    id: 'lease-taken-from-the-living',
    hurts: 'A process takes the lease of another that is alive, and both read the stream.',
    file: 'src/store/nouns/upstreams.ts',
    find: 'found.until <= found.now || found.holder === gone',
    replace: 'true',
    caughtBy: { file: 'src/store/sqlite/conformance.test.ts', test: 'gives a lease to one holder at a time' },
  },
  {
    id: 'lease-old-fence-writes',
    hurts: 'A process that lost its lease while it slept stores what it read, and moves the cursor back.',
    file: 'src/store/nouns/upstreams.ts',
    find: "if (row?.fence !== fence) throw new StoreError('fenced', otherwise);",
    replace: 'void otherwise;\n  void row;',
    caughtBy: {
      file: 'src/store/sqlite/conformance.test.ts',
      test: 'takes no step of one that was cancelled, nor of a process whose lease another has',
    },
  },
  {
    id: 'lease-released-by-the-old',
    hurts: 'A process that ends late gives up the lease of the one after it.',
    file: 'src/store/nouns/upstreams.ts',
    find: "WHERE name = $1 AND fence = $2'",
    replace: "WHERE name = $1 AND $2 = $2'",
    caughtBy: {
      file: 'src/store/sqlite/conformance.test.ts',
      test: 'gives a lease on when it is released, or its holder is known to be gone',
    },
  },
];
