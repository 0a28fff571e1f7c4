/** A thread that answers as compute threads do, and does what each test needs: it computes for ever, dies, or eats memory. */
import { parentPort } from 'node:worker_threads';
import { refusalOf, type ThreadAnswer, type ThreadQuestion } from '../../src/compute/messages.ts';
import { ServiceError } from '../../src/service/errors.ts';

const port = parentPort!;
let asked = 0;

const JOBS: Record<string, (question: ThreadQuestion) => ThreadAnswer | undefined> = {
  /** How many questions this thread has answered. */
  count: () => ({ answer: asked, cpuMilliseconds: 7 }),
  refuse: () => ({
    refusal: refusalOf(new ServiceError('not_found', 'There is no such rule.', { details: { a: 1 }, retryAfter: 3 })),
    cpuMilliseconds: 1,
  }),
  fail: () => ({ defect: new TypeError('a mistake'), cpuMilliseconds: 1 }),
  /** Stops when it is told to. */
  spin({ stop }) {
    while (Atomics.load(stop, 0) === 0);
    return { defect: new Error('stopped'), cpuMilliseconds: 900 };
  },
  spinForEver() {
    for (;;);
  },
  grow() {
    const held: unknown[] = [];
    for (;;) held.push(Array.from({ length: 1_000 }, (_, at) => ({ at })));
  },
  die: () => process.exit(1),
};

port.on('message', (question: ThreadQuestion) => {
  asked++;
  port.postMessage(JOBS[question.job]!(question));
});
