/**
 * A command that is run once for each wake. The text of the wake is its standard input, from a file, and never part of a command
 * line. A small shell around the command notes that it runs and that it succeeded, and outlives us: who is killed meanwhile and
 * started again waits for that run, and begins no second one.
 */
import { execFile, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Clock } from '../../base/clock.ts';
import { makeFolder, replaceFile } from '../../base/durable-file.ts';

/** `$0` is the place of the notes. A link is made whole or not at all, and holds who runs. */
const NOTING = `ln -s "$$" "$0.run" 2>/dev/null || exit 75
[ -e "$0.done" ] || "$@"; code=$?
[ "$code" -eq 0 ] && : > "$0.done"
rm -f "$0.run"
exit "$code"`;
const RUNS_ALREADY = 75;
const LOOK_EVERY_MS = 100;

export interface WakeCommand {
  readonly command: readonly string[];
  /** The folder of the notes. */
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Pick<Clock, 'sleep'>;
}

export interface CommandRuns {
  run(wake: AskedWake, signal: AbortSignal): Promise<boolean>;
  forget(id: string): void;
}

/** Only ids of ours are names of files. */
const WAKE_ID = /^[a-z]{1,8}_[a-z0-9]{1,64}$/;

export function commandRuns(options: WakeCommand): CommandRuns {
  const { folder, clock } = options;
  makeFolder(folder);
  const placeOf = (id: string): string => {
    if (!WAKE_ID.test(id)) throw new Error('The server gave a wake a strange id.');
    return join(folder, id);
  };
  return {
    async run({ id, text }, signal) {
      const place = placeOf(id);
      for (;;) {
        // In this order: who runs no longer has noted its end by then.
        const isRunning = await runs(place);
        if (existsSync(`${place}.done`)) return true;
        if (isRunning) await clock.sleep(LOOK_EVERY_MS, signal);
        else {
          rmSync(`${place}.run`, { force: true });
          replaceFile(`${place}.json`, `${text}\n`);
          const code = await begin(options, place, id, signal);
          if (code !== RUNS_ALREADY) return code === 0;
        }
        if (signal.aborted) return false;
      }
    },
    forget(id) {
      for (const end of ['json', 'run', 'done']) rmSync(`${placeOf(id)}.${end}`, { force: true });
    },
  };
}

/** Whether the shell that made the note is still there: another process may have its number by now. */
async function runs(place: string): Promise<boolean> {
  let pid: string;
  try {
    pid = readlinkSync(`${place}.run`);
  } catch {
    return false;
  }
  const found = await promisify(execFile)('ps', ['-o', 'args=', '-p', pid]).catch(() => undefined);
  return found?.stdout.includes(place) === true;
}

function begin({ command, env }: WakeCommand, place: string, id: string, signal: AbortSignal): Promise<number> {
  const input = openSync(`${place}.json`, 'r');
  const child = spawn('/bin/sh', ['-c', NOTING, place, ...command], {
    stdio: [input, 'inherit', 'inherit'],
    env: { ...env, SLUICE_WAKE_ID: id },
  });
  closeSync(input);
  return new Promise((resolve) => {
    // An abort leaves the run alone: the next start waits for it.
    signal.addEventListener('abort', () => resolve(1), { once: true });
    child.once('error', () => resolve(1));
    child.once('exit', (code) => resolve(code ?? 1));
  });
}

/** Takes the wakes of an agent one after the other: each is run until a run succeeds, then acknowledged. */

interface AskedWake {
  readonly id: string;
  readonly text: string;
}

export interface WakeEnds {
  /** The open wake, waiting for one if need be; null when there is none yet. */
  next(signal: AbortSignal): Promise<AskedWake | null>;
  acknowledge(id: string): Promise<void>;
  /** Begins a turn with the wake, unless that turn was made already. True when it was made. */
  run(wake: AskedWake, signal: AbortSignal): Promise<boolean>;
  /** The wake is acknowledged: what was kept of its turn may go. */
  forget(id: string): void;
  readonly clock: Pick<Clock, 'sleep'>;
  /** For people. */
  complain(message: string): void;
}

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/** Runs until the signal aborts. A server that does not answer, and a turn that fails, are tried again after a pause. */
export async function followWakes(ends: WakeEnds, signal: AbortSignal): Promise<void> {
  for (let failures = 0; !signal.aborted; ) {
    const problem = await takeOne(ends, signal).catch((error: Error) => error.message);
    if (signal.aborted) return;
    failures = problem === undefined ? 0 : failures + 1;
    if (problem === undefined) continue;
    ends.complain(problem);
    await ends.clock.sleep(Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS), signal);
  }
}

/** Answers the problem; undefined when there was none. */
export async function takeOne(ends: WakeEnds, signal: AbortSignal): Promise<string | undefined> {
  const wake = await ends.next(signal);
  if (wake === null || signal.aborted) return undefined;
  if (!(await ends.run(wake, signal))) return `The command failed for ${wake.id}. It is run again.`;
  await ends.acknowledge(wake.id);
  ends.forget(wake.id);
  return undefined;
}
