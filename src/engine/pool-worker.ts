/** A thread of the pool: does what it is told, one message after another, and answers each. */
import { parentPort, workerData } from 'node:worker_threads';
import type { Platform } from '../domain/platform.ts';
import { createMatcher } from './matcher.ts';
import type { Answer, Request } from './pool.ts';

const matcher = createMatcher((workerData as { platform: Platform }).platform);
const port = parentPort!;

function answer(request: Request): Answer {
  switch (request.do) {
    case 'put':
      matcher.engine.put(request.ruleId, request.query);
      return { outcomes: [] };
    case 'drop':
      return { outcomes: [], dropped: matcher.engine.drop(request.ruleId) };
    case 'match':
      return { outcomes: request.lines.map((line) => matcher.match(line)) };
  }
}

port.on('message', (request: Request) => port.postMessage(answer(request), []));
