/** A matcher that ends in the middle of a line, when a rule asks for what the writer alone can decide: it throws, or its thread exits. */
import { workerData } from 'node:worker_threads';
import { runMatcher } from '../../src/engine/threads/run-matcher.ts';

const how = new URL(import.meta.url).searchParams.get('how');

runMatcher(workerData, {
  decide() {
    if (how === 'exit') process.exit(3);
    throw new Error('the matcher is broken');
  },
  takeResults() {},
  leave() {},
});
