import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

// Every run tries the same examples, so that what fails here fails anywhere; another seed tries others.
const seed = process.env.PROPERTY_SEED ?? '20261115';
console.log(`PROPERTY_SEED=${seed}`);

// Very many threads and processes load the same modules: what one has compiled the next finds here.
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'node-compile-cache');

/** Tests beside their file that start processes of their own, and end some. */
const WITH_PROCESSES = ['src/store/**/*.test.ts', 'src/broker/**/*.test.ts'];

/** Tests that open pages in Chromium. */
const IN_BROWSERS = 'test/console/**/*.test.ts';

/** What takes longest, by where it is: browsers, clusters and whole processes. */
const LONG = [
  /\/test\/docs\/commands/,
  /\/test\/console\//,
  /\/test\/(cluster|black-box)\//,
  /\/test\/(cli|client|mcp|faults|upstreams)/,
  /\/src\/store\//,
];

/** The longest begin first, so that no core waits for another's last file. A fresh clone knows no times of earlier runs. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const index = LONG.findIndex((pattern) => pattern.test(moduleId));
      return index === -1 ? LONG.length : index;
    };
    const sorted = await super.sort.call(this, files);
    return sorted.toSorted((one, other) => place(one) - place(other));
  }
}

export default defineConfig({
  test: {
    setupFiles: ['test/setup.ts'],
    env: { PROPERTY_SEED: seed },
    sequence: { sequencer: LongestFirst },
    // For two cores: much of a file's time is spent waiting for processes. Left to itself it keeps one core free.
    maxWorkers: 3,
    // A slow machine is not a failing one: nothing in the suite asserts on time.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
    // What a test has put in place of something is gone before the next.
    restoreMocks: true,
    unstubEnvs: true,
    projects: [
      {
        extends: true,
        test: {
          name: 'processes',
          include: ['test/**/*.test.ts', 'bench/**/*.test.ts', ...WITH_PROCESSES],
          exclude: [IN_BROWSERS],
        },
      },
      {
        extends: true,
        // Chromium itself stalls now and then when both cores are busy: such a page is opened once more.
        test: { name: 'browsers', include: [IN_BROWSERS], retry: 1 },
      },
      {
        extends: true,
        // Small and without effect on each other: one process takes many of them.
        test: {
          name: 'units',
          include: ['src/**/*.test.ts', 'console/src/**/*.test.ts', 'packages/*/src/**/*.test.ts'],
          exclude: WITH_PROCESSES,
          isolate: false,
        },
      },
    ],
  },
});
