import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

// Every run tries the same examples, so that what fails here fails anywhere; another seed tries others.
const seed = process.env.PROPERTY_SEED ?? '20261115';
console.log(`PROPERTY_SEED=${seed}`);

// Very many threads and processes load the same modules: what one has compiled the next finds here.
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'node-compile-cache');

/** Node itself loads the sources, as it does when the program runs: no other tool turns them into something else first. */
const AS_IT_RUNS = { viteModuleRunner: false, nodeLoader: false };

/** Tests that open pages in Chromium. */
const IN_BROWSERS = 'test/console/**/*.test.ts';

/** What takes longest, by where it is: browsers, clusters and whole processes. */
const LONG = [
  /\/test\/docs\/commands/,
  /\/test\/console\//,
  // The next file of another project takes another process, which loads everything again: these are not put between.
  /\/console\/src\//,
  /\/test\/(cluster|black-box)\//,
  /\/test\/(cli|client|mcp|faults|upstreams|hostile|complexity|python|rehearsal|simulation|n8n|core-lines)/,
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
    maxWorkers: 4,
    // A slow machine is not a failing one: nothing in the suite asserts on time.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
    // What a test has put in place of something is gone before the next.
    restoreMocks: true,
    unstubEnvs: true,
    // Loading the program takes a second: one process loads it once and takes many files. So a file leaves nothing behind.
    isolate: false,
    projects: [
      {
        extends: true,
        test: {
          name: 'program',
          include: ['test/**/*.test.ts', 'bench/**/*.test.ts', 'src/**/*.test.ts', 'packages/*/src/**/*.test.ts'],
          exclude: [IN_BROWSERS],
          experimental: AS_IT_RUNS,
        },
      },
      {
        extends: true,
        // Chromium itself stalls now and then when both cores are busy: such a page is opened once more.
        test: {
          name: 'browsers',
          include: [IN_BROWSERS],
          globalSetup: ['test/console/shared-server.ts'],
          retry: 1,
          experimental: AS_IT_RUNS,
        },
      },
      {
        extends: true,
        // These import components, which Node does not load as they are.
        test: { name: 'components', include: ['console/src/**/*.test.ts'] },
      },
    ],
  },
});
