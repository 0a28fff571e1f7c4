/** Tells planted code which mutant is on. In the tests' process the worker sets it; threads and processes inherit it. */
import { closeSync, openSync, writeSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

export interface Switchboard {
  /** The number of the mutant that is on; 0: none. */
  active: number;
  hits: number;
  /** More hits than this are an endless loop. */
  mostHits: number;
  /** Is told of every mutant that is reached, while that is recorded. */
  reached: ((number: number) => void) | undefined;
}

declare global {
  var sluiceMutants: Switchboard | undefined;
}

/** How the environment of a thread or process names the mutant, and the file that records what is reached. */
export const ACTIVE = 'SLUICE_MUTANT';
export const REACHED = 'SLUICE_MUTANTS_REACHED';

globalThis.sluiceMutants ??= {
  active: Number(process.env[ACTIVE] ?? 0),
  hits: 0,
  mostHits: Number.POSITIVE_INFINITY,
  reached: process.env[REACHED] === undefined ? undefined : noteIn(process.env[REACHED]),
};

const board = globalThis.sluiceMutants;

export function isOn(number: number): boolean {
  if (board.reached !== undefined) board.reached(number);
  if (number !== board.active) return false;
  if (++board.hits > board.mostHits) throw new Error('This mutant was reached far too often: it loops.');
  return true;
}

/** What the file says of a mutant that a process has reached, and of one that a thread has. */
export const [BY_PROCESS, BY_THREAD] = [1, 2];

/** One byte for each mutant, written at once: the process may be killed. */
function noteIn(path: string): (number: number) => void {
  const known = new Set<number>();
  return (number) => {
    if (known.has(number)) return;
    known.add(number);
    const file = openSync(path, 'r+');
    writeSync(file, Uint8Array.of(isMainThread ? BY_PROCESS : BY_THREAD), 0, 1, number);
    closeSync(file);
  };
}
