/** Starts a server by a command, asks whether it is ready, and stops it as a service manager does. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export interface Served {
  /** The status of `/readyz`, when the server said that it listens. */
  readonly ready: number;
  /** How the command ended after SIGTERM. */
  readonly code: number | null;
}

export async function serveOnce(
  command: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: Record<string, string> },
): Promise<Served> {
  const [program, ...words] = command;
  const child = spawn(program!, words, {
    cwd,
    env: { ...env, SLUICE_HOST: '127.0.0.1', SLUICE_PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const url = /^sluice: listening on (http:\/\/\S+)$/.exec(line)?.[1];
      if (url === undefined) continue;
      let answer = await fetch(`${url}/readyz`);
      while (answer.status === 503) answer = await fetch(`${url}/readyz`);
      child.kill('SIGTERM');
      const [code] = (await ended) as [number | null];
      return { ready: answer.status, code };
    }
    throw new Error('The server ended before it listened.');
  } finally {
    child.kill('SIGKILL');
  }
}
