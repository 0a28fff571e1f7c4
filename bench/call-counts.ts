/** Which functions were called, in this thread and in every worker, by V8's precise coverage. */
import { Session } from 'node:inspector/promises';

export interface CalledFunction {
  readonly file: string;
  readonly name: string;
}

export interface CallCounts {
  /** The functions that were called since the last time it was asked. */
  since(): Promise<CalledFunction[]>;
  close(): void;
}

interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly {
      readonly functionName: string;
      readonly ranges: readonly { readonly count: number }[];
    }[];
  }[];
}

type Post = (method: string, params?: object) => Promise<unknown>;

export async function countCalls(): Promise<CallCounts> {
  const session = new Session();
  session.connect();
  const here: Post = (method, params) => post(session, method, params);
  const threads = [here, ...(await workersOf(session))];
  for (const thread of threads) {
    await thread('Profiler.enable');
    await thread('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  }
  return {
    async since() {
      const called: CalledFunction[] = [];
      for (const thread of threads)
        called.push(...calledIn((await thread('Profiler.takePreciseCoverage')) as Coverage));
      return called;
    },
    close: () => session.disconnect(),
  };
}

/** Node's types do not know the messages of its own domain `NodeWorker`. */
const post = (session: Session, method: string, params?: object): Promise<unknown> =>
  (session.post as (method: string, params?: object) => Promise<unknown>).call(session, method, params);

const calledIn = ({ result }: Coverage): CalledFunction[] =>
  result.flatMap(({ url, functions }) =>
    functions
      .filter(({ ranges }) => ranges.some(({ count }) => count > 0))
      .map(({ functionName }) => ({ file: url, name: functionName })),
  );

/** Messages to a worker are wrapped: each has a number, and its answer bears the same number. */
async function workersOf(session: Session): Promise<Post[]> {
  const answers = new Map<string, (result: unknown) => void>();
  const sessionIds: string[] = [];
  session.on('NodeWorker.attachedToWorker', ({ params }: { params: { sessionId: string } }) => {
    sessionIds.push(params.sessionId);
  });
  session.on(
    'NodeWorker.receivedMessageFromWorker',
    ({ params }: { params: { sessionId: string; message: string } }) => {
      const { id, result } = JSON.parse(params.message) as { id?: number; result?: unknown };
      answers.get(`${params.sessionId} ${id}`)?.(result);
    },
  );
  await post(session, 'NodeWorker.enable', { waitForDebuggerOnStart: false });
  let asked = 0;
  return sessionIds.map((sessionId) => (method, params) => {
    const id = ++asked;
    const { promise, resolve } = Promise.withResolvers<unknown>();
    answers.set(`${sessionId} ${id}`, resolve);
    const message = JSON.stringify({ id, method, params });
    return post(session, 'NodeWorker.sendMessageToWorker', { sessionId, message }).then(() => promise);
  });
}
