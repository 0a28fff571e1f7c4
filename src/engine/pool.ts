/**
 * Several threads share a stream. Each holds all the rules; a batch of payloads is cut into as many runs as there are
 * threads, and the outcomes come back in the order of the events. A rule that was put takes part in every batch handed
 * in after it, as each thread does one thing after another. With one thread, the default, everything stays in-process.
 */
import { Worker } from 'node:worker_threads';
import type { Platform } from '../domain/platform.ts';
import type { Query } from '../rules/query.ts';
import { createMatcher, type Outcome } from './matcher.ts';

export interface Pool extends AsyncDisposable {
  /** Done when every thread has the rule. */
  put(ruleId: string, query: Query): Promise<void>;
  drop(ruleId: string): Promise<boolean>;
  /** Payloads as JSON texts; one outcome each, in order. */
  match(lines: readonly string[]): Promise<Outcome[]>;
}

export type Request =
  | { readonly do: 'put'; readonly ruleId: string; readonly query: Query }
  | { readonly do: 'drop'; readonly ruleId: string }
  | { readonly do: 'match'; readonly lines: readonly string[] };

export interface Answer {
  readonly outcomes: Outcome[];
  readonly dropped?: boolean;
}

export const createPool = (platform: Platform, threads = 1): Pool =>
  threads === 1 ? inProcess(platform) : threaded(platform, threads);

function inProcess(platform: Platform): Pool {
  const matcher = createMatcher(platform);
  return {
    put: async (ruleId, query) => matcher.engine.put(ruleId, query),
    drop: async (ruleId) => matcher.engine.drop(ruleId),
    match: async (lines) => lines.map((line) => matcher.match(line)),
    [Symbol.asyncDispose]: async () => {},
  };
}

function threaded(platform: Platform, count: number): Pool {
  const threads = Array.from({ length: count }, () => openThread(platform));
  const askAll = (request: Request) => Promise.all(threads.map((thread) => thread.ask(request)));
  return {
    put: async (ruleId, query) => void (await askAll({ do: 'put', ruleId, query })),
    drop: async (ruleId) => (await askAll({ do: 'drop', ruleId })).every(({ dropped }) => dropped === true),
    async match(lines) {
      const share = Math.ceil(lines.length / count);
      const answers = await Promise.all(
        threads.map((thread, index) =>
          thread.ask({ do: 'match', lines: lines.slice(index * share, (index + 1) * share) }),
        ),
      );
      return answers.flatMap(({ outcomes }) => outcomes);
    },
    [Symbol.asyncDispose]: async () => void (await Promise.all(threads.map((thread) => thread.close()))),
  };
}

/** The published package holds JavaScript. */
const ENTRY = import.meta.url.endsWith('.ts')
  ? new URL('./pool-worker.ts', import.meta.url)
  : new URL('./pool-worker.js', import.meta.url);

interface Thread {
  ask(request: Request): Promise<Answer>;
  close(): Promise<unknown>;
}

function openThread(platform: Platform): Thread {
  const worker = new Worker(ENTRY, { workerData: { platform } });
  const waiting: PromiseWithResolvers<Answer>[] = [];
  // Answers come in the order of the requests.
  worker.on('message', (answer: Answer) => waiting.shift()?.resolve(answer));
  worker.on('error', (error) => {
    for (const { reject } of waiting.splice(0)) reject(error);
  });
  return {
    ask(request) {
      const answer = Promise.withResolvers<Answer>();
      waiting.push(answer);
      worker.postMessage(request, []);
      return answer.promise;
    },
    close: () => worker.terminate(),
  };
}
