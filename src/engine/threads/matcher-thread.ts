/** The thread of a matcher: it sleeps until lines are there, matches them, and says so. It only ever writes to its own scratch. */
import { workerData } from 'node:worker_threads';
import { runMatcher } from './run-matcher.ts';

runMatcher(workerData);
