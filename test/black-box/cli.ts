/** The command line as a child process. */
import { spawn } from 'node:child_process';
import { PROGRAM } from './program.ts';
import { environment } from './server.ts';

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export function run(args: readonly string[], settings: Record<string, string> = {}, input?: string): Promise<Ran> {
  return new Promise((done, failed) => {
    const child = spawn(process.execPath, [PROGRAM, ...args], { env: environment({ NO_COLOR: '1', ...settings }) });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    child.once('error', failed);
    child.once('close', (code) => done({ code, stdout, stderr }));
    child.stdin.end(input);
  });
}
