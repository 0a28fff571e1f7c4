/** The command line at a terminal that is none: `script` makes one, and the test reads and types at it. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { PROGRAM } from '../black-box/program.ts';
import { environment } from '../black-box/server.ts';

const SCRIPT = '/usr/bin/script';

/** Other systems have a `script` with other options. */
export const hasPseudoTerminal = process.platform === 'linux' && existsSync(SCRIPT);

export interface Terminal {
  /** Everything that was shown, colours and all. */
  readonly raw: () => string;
  /** Resolves once this is shown, after whatever was waited for before. */
  see(text: string): Promise<void>;
  type(keys: string): void;
  readonly ended: Promise<number | null>;
}

export function openTerminal(args: readonly string[], settings: Record<string, string>): Terminal {
  const command = ['stty cols 160 rows 50;', 'exec', process.execPath, PROGRAM, ...args].map(quoted).join(' ');
  const child = spawn(SCRIPT, ['-qfec', command, '/dev/null'], {
    env: environment({ TERM: 'xterm-256color', SHELL: '/bin/sh', ...settings }),
  });
  let shown = '';
  let seen = 0;
  let look = () => {};
  child.stdout.on('data', (chunk: Buffer) => {
    shown += chunk.toString();
    look();
  });
  const ended = new Promise<number | null>((done) => child.once('close', done));
  return {
    raw: () => shown,
    ended,
    type: (keys) => void child.stdin.write(keys),
    see: (text) =>
      new Promise((done, failed) => {
        look = () => {
          const plain = stripVTControlCharacters(shown);
          const at = plain.indexOf(text, seen);
          if (at === -1) return;
          seen = at + text.length;
          look = () => {};
          done();
        };
        void ended.then(() => failed(new Error(`"${text}" was never shown:\n${stripVTControlCharacters(shown)}`)));
        look();
      }),
  };
}

const quoted = (word: string): string => (/^[\w;/.=-]+$/.test(word) || word.endsWith(';') ? word : `'${word}'`);
