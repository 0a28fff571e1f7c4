/** A shell that runs a page's commands one after another, as a reader would, and ends what was left running. */
import { type ChildProcess, spawn } from 'node:child_process';

export interface PageShell extends AsyncDisposable {
  /** Runs the text and answers its exit status and what it printed. */
  run(text: string): Promise<{ readonly status: number; readonly output: string }>;
  /** Starts the text and resolves, with what it printed until then, when a line matches; it keeps running. */
  start(text: string, ready: RegExp): Promise<string>;
}

/** Variables that one block sets are there in the next: each run hands its environment on. */
export function openShell(folder: string, environment: Record<string, string>): PageShell {
  const running: ChildProcess[] = [];
  let variables = environment;

  /** In a process group of its own, so that the whole of it can be ended. */
  const spawned = (text: string): ChildProcess => {
    const child = spawn('bash', ['-c', text], { cwd: folder, env: variables, detached: true });
    running.push(child);
    return child;
  };

  return {
    async run(text) {
      const mark = `variables after ${Math.random()}`;
      const child = spawned(`set -a\n${text}\nstatus=$?\necho "${mark}"\nenv -0\nexit $status`);
      const output = await outputOf(child);
      const [printed = '', after = ''] = output.text.split(`${mark}\n`);
      if (after !== '') variables = Object.fromEntries(after.split('\0').filter(Boolean).map(variableOf));
      return { status: output.status, output: printed };
    },
    start(text, ready) {
      const child = spawned(text);
      return new Promise((resolve, reject) => {
        let output = '';
        for (const stream of [child.stdout!, child.stderr!]) {
          stream.setEncoding('utf8').on('data', (chunk: string) => {
            output += chunk;
            if (ready.test(output)) resolve(output);
          });
        }
        child.once('close', (code) => reject(new Error(`it ended with ${code} before it was ready:\n${output}`)));
      });
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(running.map(end));
    },
  };
}

const variableOf = (line: string): [string, string] => {
  const at = line.indexOf('=');
  return [line.slice(0, at), line.slice(at + 1)];
};

async function outputOf(child: ChildProcess): Promise<{ status: number; text: string }> {
  let text = '';
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  }
  const status = await new Promise<number>((resolve) => child.once('close', (code) => resolve(code ?? 1)));
  return { status, text };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = new Promise((resolve) => child.once('close', resolve));
  process.kill(-child.pid!, 'SIGTERM');
  await closed;
}
