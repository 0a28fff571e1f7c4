/**
 * One server works on a SQLite file at a time: a second would not know of the rules that the first one makes. Commands
 * such as `sluice keys` take no lock and work beside it.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { lockFile } from '../store/sqlite/file-lock.ts';
import { makePrivateFolder } from './private-folder.ts';
import { StartError } from './start-error.ts';

/** Taken for the life of the server. Throws when another one has it, and says which. */
export function lockStore(file: string, { now, pid }: { now: Date; pid: number }): Disposable {
  makePrivateFolder(file);
  const lock = lockFile(`${file}.lock`);
  const note = `${file}.server.json`;
  if (lock === undefined) throw new StartError(heldMessage(file, note));
  const held: Held = { pid, host: hostname(), since: now.toISOString() };
  writeFileSync(note, `${JSON.stringify(held)}\n`, { mode: 0o600 });
  return {
    [Symbol.dispose]() {
      rmSync(note, { force: true });
      lock[Symbol.dispose]();
    },
  };
}

/** What the holder says of itself. The lock alone decides; this is for the message. */
interface Held {
  readonly pid: number;
  readonly host: string;
  readonly since: string;
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
