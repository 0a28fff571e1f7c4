/**
 * One server works on a SQLite file at a time: a second would not know of the rules that the first one makes. Commands
 * such as `sluice keys` take no lock and work beside it.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { lockFile } from '../store/sqlite/connection.ts';
import { makePrivateFolder } from './private-folder.ts';

export interface StoreLock extends Disposable {
  /** Notes where a browser finds the console, for commands of this machine. */
  announce(consoleAddress: string): void;
}

/** Taken for the life of the server. Throws when another one has it, and says which. */
export function lockStore(file: string, { now, pid }: { now: Date; pid: number }): StoreLock {
  makePrivateFolder(file);
  const lock = lockFile(`${file}.lock`);
  const note = noteOf(file);
  if (lock === undefined) throw new StartError(heldMessage(file, note));
  const held: Held = { pid, host: hostname(), since: now.toISOString() };
  const write = (content: Held) => writeFileSync(note, `${JSON.stringify(content)}\n`, { mode: 0o600 });
  write(held);
  return {
    announce: (consoleAddress) => write({ ...held, console: consoleAddress }),
    [Symbol.dispose]() {
      rmSync(note, { force: true });
      lock[Symbol.dispose]();
    },
  };
}

const noteOf = (file: string): string => `${file}.server.json`;

/** The address of the console, as the server of this store has noted it; undefined when none has on this machine. */
export function announcedConsole(file: string): string | undefined {
  try {
    const { host, console: address } = JSON.parse(readFileSync(noteOf(file), 'utf8')) as Held;
    return host === hostname() ? address : undefined;
  } catch {
    return undefined;
  }
}

/** The holder's note about itself. The lock alone decides; this is for messages and for commands beside it. */
interface Held {
  readonly pid: number;
  readonly host: string;
  readonly since: string;
  /** Once it listens. */
  readonly console?: string;
}

function heldMessage(file: string, note: string): string {
  const advice = 'Stop it first, or set SLUICE_DATA_DIR to another folder.';
  try {
    const { pid, host, since } = JSON.parse(readFileSync(note, 'utf8')) as Held;
    return `Another server works on ${file}: process ${pid} on ${host}, since ${since}. ${advice}`;
  } catch {
    // It has just begun, or is about to end.
    return `Another server works on ${file}. ${advice}`;
  }
}

/** Why the program cannot start although its settings are right. The message says what to do; the exit status is 1. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
