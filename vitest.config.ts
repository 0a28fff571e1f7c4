import { defineConfig } from 'vitest/config';

// Every run tries the same examples, so that what fails here fails anywhere; another seed tries others.
const seed = process.env.PROPERTY_SEED ?? '20261115';
console.log(`PROPERTY_SEED=${seed}`);

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'console/src/**/*.test.ts', 'test/**/*.test.ts', 'bench/**/*.test.ts'],
    setupFiles: ['test/setup.ts'],
    env: { PROPERTY_SEED: seed },
    // One for each of two cores; left to itself it keeps one core free.
    maxWorkers: 2,
    // A slow machine is not a failing one: nothing in the suite asserts on time.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
