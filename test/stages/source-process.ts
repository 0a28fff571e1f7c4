/** Starts `source-node.ts` as a process of its own, and asks it. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface SourceNodeOptions {
  /** The address of a PostgreSQL database, or the path of a SQLite file. */
  readonly store: string;
  /** The port of the stand-in web. */
  readonly port: number;
  readonly name: string;
  /** Between two requests to one host. */
  readonly pauseMs: number;
}

/** `visit` answers when all that is due was visited, `forward` at once. */
export type SourceNodeQuestion =
  | { readonly do: 'rule'; readonly word: string }
  | { readonly do: 'add' | 'fetch'; readonly hosts: readonly string[] }
  | { readonly do: 'visit' | 'forward'; readonly milliseconds: number }
  | { readonly do: 'figures' };

export interface SourceNodeAnswer {
  readonly id: number;
  readonly value?: object;
  readonly error?: string;
}

export interface SourceNodeFigures {
  readonly rss_mb: number;
  /** The most that it has had. */
  readonly peak_mb: number;
  readonly heap_mb: number;
  readonly cpu_ms: number;
}

export interface SourceNode extends AsyncDisposable {
  ask(question: SourceNodeQuestion): Promise<void>;
  figures(): Promise<SourceNodeFigures>;
  /** Sent, and not waited for: a frozen process hears of it when it is thawed. */
  tell(question: SourceNodeQuestion): void;
  signal(name: 'SIGSTOP' | 'SIGCONT'): void;
  kill(): Promise<void>;
}

export async function startSourceNode(options: SourceNodeOptions): Promise<SourceNode> {
  const child = fork(new URL('./source-node.ts', import.meta.url), [JSON.stringify(options)], {
    execArgv: ['--expose-gc'],
    // As the program does it: a thread that finds its modules there does not load what reads sources.
    env: { NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache'), ...process.env },
  });
  const waiting = new Map<number, (given: SourceNodeAnswer) => void>();
  child.on('message', (given: SourceNodeAnswer) => {
    waiting.get(given.id)?.(given);
    waiting.delete(given.id);
  });
  child.on('exit', () => {
    for (const [id, settle] of waiting) settle({ id, error: `${options.name} has ended` });
  });
  let asked = 0;
  const answerTo = async (id: number): Promise<object> => {
    const { value, error } = await new Promise<SourceNodeAnswer>((resolve) => waiting.set(id, resolve));
    if (value === undefined) throw new Error(error);
    return value;
  };
  function ask(question: SourceNodeQuestion): Promise<object> {
    const id = ++asked;
    child.send({ id, ...question });
    return answerTo(id);
  }
  await answerTo(0);
  const kill = () => killed(child);
  return {
    ask: async (question) => void (await ask(question)),
    figures: async () => (await ask({ do: 'figures' })) as SourceNodeFigures,
    tell: (question) => void child.send({ id: 0, ...question }),
    signal: (name) => void child.kill(name),
    kill,
    [Symbol.asyncDispose]: kill,
  };
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}
