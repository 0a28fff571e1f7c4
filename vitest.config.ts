import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'console/src/**/*.test.ts', 'test/**/*.test.ts', 'bench/**/*.test.ts'],
    // One for each of two cores; left to itself it keeps one core free.
    maxWorkers: 2,
    // A slow machine is not a failing one: nothing in the suite asserts on time.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
