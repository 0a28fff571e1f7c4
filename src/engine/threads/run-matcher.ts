import { parentPort } from 'node:worker_threads';
import { type CoreHost, instanceOf } from '../core/core-memory.ts';
import { CELL, type MatcherOrder, STATE } from './matcher.ts';

/** The writer alone knows the answers to what the core asks: a matcher leaves the rule, and its line is asked back. */
const LEAVE = 2;
const HOST: CoreHost = { decide: () => LEAVE, takeResults() {}, leave() {} };

/** Matches batches until the thread is ended. What throws ends it, after the writer knows. */
export function runMatcher({ module, cells: shared, engines }: MatcherOrder, host = HOST): never {
  const cells = new Int32Array(shared);
  const matchers = engines.map(({ memory, scratch, arePages }) => {
    const { matchBatch } = instanceOf(module, memory, scratch, host);
    return (lines: number) => matchBatch(lines, arePages);
  });
  parentPort!.postMessage('ready', []);
  for (;;) {
    const state = Atomics.load(cells, CELL.state);
    if (state !== STATE.busy) {
      Atomics.wait(cells, CELL.state, state);
      continue;
    }
    try {
      cells[CELL.matched] = matchers[cells[CELL.engine]!]!(cells[CELL.lines]!);
    } catch (error) {
      end(cells, STATE.failed);
      throw error;
    }
    end(cells, STATE.done);
  }
}

function end(cells: Int32Array, state: number): void {
  Atomics.store(cells, CELL.state, state);
  Atomics.notify(cells, CELL.state);
}
